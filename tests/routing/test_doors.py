"""The doors of the data plane, each alone."""

import hashlib
import time
from collections.abc import Iterator

import pytest

from nodes.lib.live import install
from routing.core.access import Key, Keys
from routing.core.parameters import AccessPolicy
from routing.core.problems import Problem
from routing.doors import Meter, check_page, key_of, origin_allowed, presented


@pytest.fixture(autouse=True)
def _values() -> Iterator[None]:
    """Later tests find the defaults."""
    yield
    install(Keys())
    install(AccessPolicy())


def known(key: Key) -> dict[bytes, bytes]:
    """The headers that present this key, which is in force."""
    install(Keys({hashlib.sha256(b"secret").hexdigest(): key}))
    return {b"x-api-key": b"secret"}


def test_an_expired_key_says_that_it_has_expired() -> None:
    with pytest.raises(Problem, match="expired") as refused:
        key_of(known(Key("old", expires_at=time.time() - 1)), local=False)
    assert (refused.value.outcome, refused.value.status) == ("refused", 401)


def test_a_key_that_has_not_expired_opens() -> None:
    key = Key("new", expires_at=time.time() + 60)
    assert key_of(known(key), local=False) == key


def test_a_bearer_goes_before_the_other_header() -> None:
    assert presented({b"authorization": b"Bearer one", b"x-api-key": b"two"}) == "one"


def test_a_scheme_that_is_no_bearer_is_no_key() -> None:
    assert presented({b"authorization": b"Basic b25l"}) == ""


def test_a_page_of_this_very_server_is_its_own() -> None:
    assert check_page({b"host": b"192.168.1.5:11435", b"origin": b"http://192.168.1.5:11435"})


@pytest.mark.parametrize("origin", ["null", "https://evil.com", "localhost", "http://localhost.evil.com", "http://"])
def test_a_foreign_origin_is_not_allowed(origin: str) -> None:
    assert not origin_allowed(origin, "https://chat.example.com")


@pytest.mark.parametrize("origin", ["http://localhost", "https://127.0.0.1:3000", "http://[::1]:80", "tauri://x"])
def test_a_page_of_this_machine_or_of_an_app_is_allowed(origin: str) -> None:
    assert origin_allowed(origin, "")


def test_a_listed_origin_may_be_written_with_a_slash() -> None:
    assert origin_allowed("https://chat.example.com", "https://Chat.example.com/")


def test_a_star_allows_every_origin() -> None:
    assert origin_allowed("https://evil.com", "*")


def test_a_key_is_free_again_when_its_request_has_ended() -> None:
    meter, key = Meter(), Key("narrow", max_in_flight=1)
    with meter.counted(key), pytest.raises(Problem, match="has 1 request running"):
        with meter.counted(key):
            pass
    with meter.counted(key):
        assert meter.running["narrow"] == 1


def test_a_refused_request_does_not_count_against_the_rate() -> None:
    meter, key = Meter(), Key("both", rpm=2, max_in_flight=1)
    with meter.counted(key), pytest.raises(Problem):
        with meter.counted(key):
            pass
    with meter.counted(key):
        assert len(meter.recent["both"]) == 2
