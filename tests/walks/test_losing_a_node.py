"""A node that is paused, drained, removed or dies: what waits there goes elsewhere, what runs there finishes."""

from collections.abc import Callable, Iterator

import pytest

from nodes.simulated.thread import Running
from tests.conftest import routers, until
from tests.walks.fleets import Fleet, fleet_of, hanging

WAITING = 3
QUIET = {"FLEET_PRE_WARM_THRESHOLD": "1000", "FLEET_REBALANCE_THRESHOLD": "1000"}
Loss = Callable[[Fleet, str, Running], object]

LOSSES: dict[str, Loss] = {
    "pause": lambda fleet, name, node: fleet.manage("pause", name),
    "drain": lambda fleet, name, node: fleet.manage("drain", name),
    "remove": lambda fleet, name, node: fleet.manage("remove", name),
    "refuse": lambda fleet, name, node: node.do(node.node.refuse),
}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with routers(tmp_path_factory.mktemp("losses")) as start, fleet_of(start(**QUIET)) as fleet:
        yield fleet


def crowded(fleet: Fleet, word: str) -> tuple[Running, Running]:
    """Two nodes with a model of that name, in memory at the first only, which is so preferred."""
    one, other = fleet.add_all(*(lambda name=name: fleet.add(f"{word}-{name}", f"{word}=1") for name in ("a", "b")))
    fleet.warm(one, word)
    return one, other


@pytest.mark.parametrize("word", LOSSES)
def test_what_waits_at_a_lost_node_is_answered_elsewhere_and_what_runs_there_finishes(fleet: Fleet, word: str) -> None:
    lost, _ = crowded(fleet, word)
    with hanging(lost):
        running = fleet.begin(word)
        until(lambda: fleet.depth(f"{word}-a", word) == (1, 0))
        waiting = [fleet.begin(word) for _ in range(WAITING)]
        until(lambda: fleet.depth(f"{word}-a", word) == (1, WAITING))
        LOSSES[word](fleet, f"{word}-a", lost)
        answers = [one.result(5) for one in waiting]
        assert [(answer.status, answer.node) for answer in answers] == [(200, f"{word}-b")] * WAITING
        assert not running.done() and lost.node.seen.in_flight.peak[f"{word}:latest"] == 1
    assert (running.result().status, running.result().node) == (200, f"{word}-a")
    assert fleet.decision(answers[0])["attempts"][0]["node"] == f"{word}-a"


def test_when_a_node_dies_neither_what_ran_nor_what_waited_there_is_lost(fleet: Fleet) -> None:
    lost, _ = crowded(fleet, "death")
    with hanging(lost):
        requests = [fleet.begin("death") for _ in range(1 + WAITING)]
        until(lambda: fleet.depth("death-a", "death") == (1, WAITING))
        lost.do(lost.node.kill)
        answers = [one.result(5) for one in requests]
    assert [(answer.status, answer.node) for answer in answers] == [(200, "death-b")] * (1 + WAITING)
    assert {fleet.decision(answer)["outcome"] for answer in answers} == {"completed"}


def test_what_waits_at_the_only_node_is_held_until_it_returns_though_it_leaves_twice(fleet: Fleet) -> None:
    node = fleet.add("flicker", "flicker=1")
    with hanging(node):
        running = fleet.begin("flicker")
        until(lambda: fleet.depth("flicker", "flicker") == (1, 0))
        waiting = fleet.begin("flicker")
        for _ in range(2):
            until(lambda: fleet.depth("flicker", "flicker") == (1, 1))
            fleet.manage("pause", "flicker")
            until(lambda: fleet.depth("flicker", "flicker") == (1, 0))
            fleet.manage("resume", "flicker")
    assert [one.result().status for one in (running, waiting)] == [200, 200]
