"""Slots: an engine never sees more of ours at once than it has, and whoever came first goes first."""

from collections.abc import Iterator

import pytest

from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import until
from tests.walks.calls import CHATS, Call
from tests.walks.scenes import MACHINE, NODES, Fleet

both = pytest.mark.parametrize("path", CHATS)
TRIPLE = tuple(f"triple-{number}" for number in range(4))
BURST = 12


@pytest.fixture(scope="module")
def triple(steady: Fleet) -> Iterator[Running]:
    """A node whose operator said `--parallel 3`."""
    with running(SimulatedNode(",".join(f"{m}=1" for m in TRIPLE), MACHINE)) as node:
        steady.enrol(("triple", node.url, "ollama", {"parallel": 3}))
        yield node


def burst(fleet: Fleet, path: str, model: str, count: int = BURST) -> list[Call]:
    """So many requests at once, one streamed, one whole."""
    return [fleet.call(path, model, stream=bool(number % 2), tokens=20) for number in range(count)]


@pytest.mark.parametrize(("path", "model"), list(zip((*CHATS, *CHATS), TRIPLE, strict=True)))
def test_an_operators_number_is_reached_and_never_exceeded(
    fleet: Fleet, triple: Running, path: str, model: str
) -> None:
    answers = [call.answer() for call in burst(fleet, path, model)]
    assert [(a.status, a.node) for a in answers] == [(200, "triple")] * BURST
    assert triple.node.seen.in_flight.peak[f"{model}:latest"] == 3


@both
def test_an_ollama_that_says_nothing_gets_one_at_a_time(fleet: Fleet, lone_model: str, path: str) -> None:
    answers = [call.answer() for call in burst(fleet, path, lone_model)]
    assert [a.status for a in answers] == [200] * BURST
    assert fleet["alone"].node.seen.in_flight.peak[f"{lone_model}:latest"] == 1


def test_an_engine_that_says_how_many_gets_as_many(fleet: Fleet, cpp_model: str) -> None:
    cpp = fleet["cpp"]
    calls = [fleet.call("/v1/chat/completions", cpp_model, tokens=100) for _ in range(BURST)]
    cpp.wait_for(lambda: cpp.node.seen.generating.now[f"{cpp_model}:latest"] == BURST)
    assert {call.answer().status for call in calls} == {200}


@both
def test_a_burst_is_shared_by_all_who_can_serve_it(fleet: Fleet, model: str, path: str) -> None:
    name = f"{model}:latest"
    fleet.warm(model, *NODES)
    answers = [call.answer() for call in burst(fleet, path, model)]
    assert {a.status for a in answers} == {200}
    assert {a.node for a in answers} == set(NODES)
    assert all(one.node.seen.in_flight.peak[name] <= 1 for one in fleet.nodes.values())


@both
def test_who_came_first_is_served_first(fleet: Fleet, lone_model: str, path: str) -> None:
    alone = fleet["alone"]
    alone.do(alone.node.faults.hang)
    calls = []
    for number in range(6):
        calls.append(fleet.call(path, lone_model, tokens=number + 1))
        until(lambda: sum(fleet.queues(lone_model).get("alone", (0, 0))) == len(calls))
    alone.do(alone.node.faults.heal)
    assert {call.answer().status for call in calls} == {200}
    limits = [_limit(body) for body in alone.node.seen.bodies(path) if body["model"] == lone_model]
    assert limits == [1, 2, 3, 4, 5, 6]


@both
def test_failures_give_their_slot_back(fleet: Fleet, lone_model: str, path: str) -> None:
    alone = fleet["alone"]
    alone.do(lambda: alone.node.faults.answer(400, "no", times=3))
    assert [call.answer().status for call in burst(fleet, path, lone_model, 4)].count(400) == 3
    assert fleet.queues(lone_model) == {}


def _limit(body: dict[str, int]) -> int:
    return body["max_tokens"]
