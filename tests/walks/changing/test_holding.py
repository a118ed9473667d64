"""Requests that no node can serve yet: held, told of, and in the end refused with the reason."""

from collections.abc import Iterator

import pytest

from tests.conftest import RouterFactory, routers
from tests.walks.changing.parts import Fleet, Planned, eventually, fleet_of

HELD_SECONDS = 3.0
STRICT = {"FLEET_HOLD_TIMEOUT": str(HELD_SECONDS), "FLEET_MAX_HELD": "2", "FLEET_HOLD_MAKES_ROOM": "false"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A router that makes no room and holds two requests, for three seconds; its nodes have little memory."""
    with routers(tmp_path_factory.mktemp("holding")) as start, fleet_of(start(**STRICT)) as fleet:
        fleet.add(
            Planned("tiny", "large=40", ("--memory-gb", "1")), Planned("four", "older=6,newer=7", ("--memory-gb", "10"))
        )
        yield fleet


def test_without_any_node_a_request_is_refused_at_once_with_the_command_that_adds_one(router: RouterFactory) -> None:
    with fleet_of(router()) as empty:
        answer = empty.ask("small")
    assert (answer.status, "manage.py node add" in answer.error) == (503, True)


def test_held_requests_are_shown_bounded_and_in_the_end_refused_with_the_reason(strict: Fleet) -> None:
    held = [strict.begin("large") for _ in range(2)]
    eventually(lambda: len(strict.decisions("large", "running")) == 2)
    beyond = strict.ask("large")
    assert (beyond.status, beyond.headers["retry-after"]) == (503, "5")
    assert strict.decision(beyond)["outcome"] == "queue_full"
    for answer in [one.result() for one in held]:
        decision = strict.decision(answer)
        assert (answer.status, answer.headers["retry-after"], decision["outcome"]) == (503, "5", "hold_expired")
        assert "tiny: no memory" in answer.error
        assert decision["held_ms"] >= HELD_SECONDS * 1000


def test_an_operator_may_forbid_to_make_room_and_then_the_request_is_refused_in_the_end(strict: Fleet) -> None:
    assert strict.ask("older").status == 200
    answer = strict.ask("newer")
    assert (answer.status, strict.decision(answer)["outcome"]) == (503, "hold_expired")
    assert strict.nodes["four"].node.seen.unloads.total() == 0
