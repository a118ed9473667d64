"""Requests that no node can serve yet: held, told of, answered as soon as one can, refused with the reason else."""

from collections.abc import Iterator

import pytest

from tests.conftest import RouterFactory, routers, until
from tests.walks.fleets import Fleet, fleet_of

HELD_SECONDS = 6.0


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """`tiny` has a model that does not fit the memory it was granted: requests for it are held."""
    with routers(tmp_path_factory.mktemp("holding")) as start:
        with fleet_of(start(FLEET_HOLD_TIMEOUT=str(HELD_SECONDS), FLEET_MAX_HELD="2")) as fleet:
            fleet.add_all(
                lambda: fleet.add("tiny", "large=40", "--memory-gb", "1"),
                lambda: fleet.add("sleepy", "small=1"),
            )
            yield fleet


def test_without_any_node_a_request_is_refused_at_once_with_the_command_that_adds_one(router: RouterFactory) -> None:
    with fleet_of(router()) as empty:
        answer = empty.ask("small")
    assert (answer.status, "manage.py node add" in answer.json()["error"]) == (503, True)


def test_a_request_whose_only_node_is_paused_is_answered_within_two_seconds_of_its_return(fleet: Fleet) -> None:
    fleet.manage("pause", "sleepy")
    until(lambda: fleet.state("sleepy") == "paused")
    waiting = fleet.begin("small")
    until(lambda: fleet.decisions("small", "running"))
    fleet.manage("resume", "sleepy")
    answer = waiting.result(2.5)
    decision = fleet.decision(answer)
    assert (answer.status, answer.node, decision["outcome"]) == (200, "sleepy", "completed")
    assert decision["held_ms"] > 0 and int(answer.headers["x-fleet-queue-wait-ms"]) >= round(decision["held_ms"])


def test_held_requests_are_shown_bounded_and_in_the_end_refused_with_the_reason(fleet: Fleet) -> None:
    held = [fleet.begin("large") for _ in range(2)]
    until(lambda: len(fleet.decisions("large", "running")) == 2)
    beyond = fleet.ask("large")
    assert (beyond.status, beyond.headers["retry-after"]) == (503, "5")
    assert fleet.decision(beyond)["outcome"] == "queue_full"
    for answer in [one.result() for one in held]:
        decision = fleet.decision(answer)
        assert (answer.status, answer.headers["retry-after"], decision["outcome"]) == (503, "5", "hold_expired")
        assert "tiny: no memory" in answer.json()["error"]
        assert decision["held_ms"] == pytest.approx(HELD_SECONDS * 1000, abs=500)
