"""Which num_ctx an engine gets, when it loads again for it, and which prompts were cut."""

import pytest

from routing.core.context import asked_context, loads_again, sent_context, suspicion
from routing.core.parameters import ContextPolicy
from tests.routing.factories import request

STRIP, WARN, PASSTHROUGH = (ContextPolicy(name) for name in ("strip", "warn", "passthrough"))


@pytest.mark.parametrize(("options", "asked"), [({"num_ctx": 4096}, 4096), ({}, None)])
def test_a_context_is_asked_for_in_the_options(options: dict[str, object], asked: int | None) -> None:
    assert asked_context(request(options=options)) == asked


def test_another_dialect_has_no_such_option() -> None:
    assert asked_context(request("/v1/chat/completions", options={"num_ctx": 4096})) is None


@pytest.mark.parametrize(
    ("asked", "loaded", "named", "sent"),
    [
        (2048, 4096, None, None),
        (4096, 4096, None, None),
        (4097, 4096, None, 4097),
        (2048, None, None, 2048),
        (None, 4096, 4096, None),
        (2048, 8192, 8192, 8192),
        (2048, 8192, 4096, None),
    ],
)
def test_a_context_is_sent_only_where_it_changes_something(
    asked: int | None, loaded: int | None, named: int | None, sent: int | None
) -> None:
    assert sent_context(asked, loaded, named, STRIP) == sent


@pytest.mark.parametrize("policy", [WARN, PASSTHROUGH])
def test_it_is_sent_as_it_is_where_the_operator_wants_that(policy: ContextPolicy) -> None:
    assert sent_context(2048, 4096, None, policy) == 2048


@pytest.mark.parametrize(
    ("asked", "policy", "again"),
    [
        (8192, STRIP, True),
        (2048, STRIP, False),
        (8192, WARN, True),
        (2048, WARN, True),
        (4096, WARN, False),
        (8192, PASSTHROUGH, False),
        (None, WARN, False),
    ],
)
def test_a_context_that_loads_the_model_again_is_told(asked: int | None, policy: ContextPolicy, again: bool) -> None:
    assert loads_again(asked, 4096, policy) is again


def test_nothing_is_loaded_again_that_is_not_loaded() -> None:
    assert not loads_again(8192, None, WARN)


@pytest.mark.parametrize(
    ("estimated", "counted", "context", "suspicious"),
    [
        (20_000, 2050, 4096, True),
        (20_000, 2050, None, True),
        (20_000, 10_000, 4096, False),
        (20_000, None, 4096, False),
        (1000, 10, None, False),
        (3000, 20, 4096, False),
    ],
)
def test_far_fewer_tokens_than_estimated_are_suspicious(
    estimated: int, counted: int | None, context: int | None, suspicious: bool
) -> None:
    assert bool(suspicion(estimated, counted, context)) is suspicious
