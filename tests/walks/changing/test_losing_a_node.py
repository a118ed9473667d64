"""A node that is paused, drained, removed or dies: what waits there goes elsewhere, what runs there finishes."""

from collections.abc import Callable

import pytest

from nodes.simulated.thread import Running
from tests.walks.changing.parts import Fleet, Planned, eventually, hanging

WAITING = 3
LOSSES: dict[str, Callable[[Fleet, str, Running], object]] = {
    "pause": lambda fleet, name, node: fleet.manage("pause", name),
    "drain": lambda fleet, name, node: fleet.manage("drain", name),
    "remove": lambda fleet, name, node: fleet.manage("remove", name),
    "refuse": lambda fleet, name, node: node.do(node.node.refuse),
}


def crowded(fleet: Fleet, word: str) -> Running:
    """Of two nodes with a model of that name the first, which has it in memory: all requests prefer it."""
    node, _ = fleet.add(*(Planned(f"{word}-{place}", f"{word}=1") for place in ("first", "other")))
    assert fleet.ask(word).node == f"{word}-first"
    return node


@pytest.mark.parametrize("word", LOSSES)
def test_what_waits_at_a_lost_node_is_answered_elsewhere_and_what_runs_there_finishes(fleet: Fleet, word: str) -> None:
    lost, name = crowded(fleet, word), f"{word}-first"
    with hanging(lost):
        running = fleet.begin(word)
        eventually(lambda: fleet.depth(name, word) == (1, 0))
        waiting = [fleet.begin(word) for _ in range(WAITING)]
        eventually(lambda: fleet.depth(name, word) == (1, WAITING))
        LOSSES[word](fleet, name, lost)
        answers = [one.result(10) for one in waiting]
        assert [(answer.status, answer.node) for answer in answers] == [(200, f"{word}-other")] * WAITING
        assert not running.done()
    assert (running.result().status, running.result().node) == (200, name)
    assert (lost.node.seen.in_flight.peak[f"{word}:latest"], fleet.decision(answers[0])["retries"]) == (1, 0)


def test_when_a_node_dies_neither_what_ran_nor_what_waited_there_is_lost(fleet: Fleet) -> None:
    lost = crowded(fleet, "death")
    with hanging(lost):
        requests = [fleet.begin("death") for _ in range(1 + WAITING)]
        eventually(lambda: fleet.depth("death-first", "death") == (1, WAITING))
        lost.do(lost.node.kill)
        answers = [one.result(10) for one in requests]
    assert [(answer.status, answer.node) for answer in answers] == [(200, "death-other")] * (1 + WAITING)
    assert {fleet.decision(answer)["outcome"] for answer in answers} == {"completed"}


def test_what_waits_at_the_only_node_is_held_and_answered_when_it_returns_though_it_leaves_twice(fleet: Fleet) -> None:
    (node,) = fleet.add(Planned("flicker", "flicker=1"))
    with hanging(node):
        running = fleet.begin("flicker")
        eventually(lambda: fleet.depth("flicker", "flicker") == (1, 0))
        waiting = fleet.begin("flicker")
        for _ in range(2):
            eventually(lambda: fleet.depth("flicker", "flicker") == (1, 1))
            fleet.manage("pause", "flicker")
            eventually(lambda: fleet.depth("flicker", "flicker") == (1, 0))
            fleet.manage("resume", "flicker")
    assert [one.result().status for one in (running, waiting)] == [200, 200]
    assert fleet.decision(waiting.result())["held_ms"] > 0


def test_a_request_whose_only_node_is_paused_is_answered_as_soon_as_it_returns(fleet: Fleet) -> None:
    fleet.add(Planned("sleepy", "sleepy=1"))
    fleet.manage("pause", "sleepy")
    eventually(lambda: fleet.state("sleepy") == "paused")
    held = fleet.begin("sleepy")
    eventually(lambda: fleet.decisions("sleepy", "running"))
    fleet.manage("resume", "sleepy")
    answer = held.result(5)
    decision = fleet.decision(answer)
    assert (answer.status, answer.node, decision["outcome"]) == (200, "sleepy", "completed")
    assert int(answer.headers["x-fleet-queue-wait-ms"]) >= int(decision["held_ms"]) > 0
