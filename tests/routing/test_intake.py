"""What of a request goes on to an engine."""

import pytest

from routing.core.problems import Problem
from routing.intake import forwarded
from routing.protocols import PROTOCOLS
from tests.routing.factories import MODEL, request

paths = pytest.mark.parametrize("path", PROTOCOLS)


def test_a_header_that_is_about_this_connection_goes_no_further() -> None:
    sent = {b"connection": b"keep-alive, X-Secret", b"x-secret": b"1", b"x-mine": b"2"}
    assert dict(forwarded(sent)) == {"x-mine": "2"}


def test_the_routers_that_a_request_has_passed_go_on_with_it() -> None:
    assert dict(forwarded({b"x-fleet-via": b"a, b", b"x-fleet-tags": b"t"})) == {"x-fleet-via": "a, b"}


@paths
@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"model": "m" * 257}, "at most 256 characters"),
        ({"fallback_models": ["m" * 257]}, "at most 256 characters"),
        ({"fallback_models": [MODEL] * 33}, "at most 32 are taken"),
    ],
)
def test_more_names_of_models_than_anyone_has_are_refused(path: str, names: dict[str, object], words: str) -> None:
    with pytest.raises(Problem, match=words) as refused:
        request(path, input="hi", **names)
    assert (refused.value.status, refused.value.outcome) == (400, "invalid")


@paths
def test_as_many_names_as_are_allowed_are_taken(path: str) -> None:
    assert request(path, input="hi", model="m" * 256, fallback_models=[MODEL] * 32).asked == "m" * 256
