"""Clocks that run out at an engine: 504 or an error in the stream, and nobody else is asked."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import running
from tests.conftest import until
from tests.walks.calls import CHATS, Answer
from tests.walks.scenes import MACHINE, Fleet

both = pytest.mark.parametrize("path", CHATS)
streams = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
SLOW_MODEL = "slow"
numbers = count()


def stranger(fleet: Fleet, path: str, model: str) -> Answer:
    """The first words of a conversation: no node has served it before."""
    return fleet.ask(path, model, messages=[{"role": "user", "content": f"I am number {next(numbers)}"}])


@pytest.fixture(scope="module")
def _a_slow_node(hasty: Fleet) -> Iterator[None]:
    """A node whose tokens are further apart than the clock allows."""
    with running(SimulatedNode(f"{SLOW_MODEL}=1", replace(MACHINE, tokens_per_second=0.2))) as slow:
        hasty.enrol(("slow", slow.url, "ollama", {}))
        yield


@both
@streams
def test_an_engine_that_begins_no_answer_in_time_is_given_up(
    hasty_fleet: Fleet, model: str, path: str, stream: bool
) -> None:
    asked = hasty_fleet["second"].node.seen.requests[path]
    hasty_fleet["first"].do(hasty_fleet["first"].node.faults.hang)
    answer = hasty_fleet.ask(path, model, stream=stream)
    assert (answer.status, answer.headers["x-fleet-retries"]) == (504, "0")
    assert answer.error == f"first gave no {'first byte' if stream else 'whole answer'} within 0.55 s"
    decision = hasty_fleet.decision(answer)
    assert (decision["outcome"], decision["status"], decision["retries"]) == ("timed_out", 504, 0)
    assert hasty_fleet["second"].node.seen.requests[path] == asked


@both
def test_an_engine_that_stalled_is_suspended_for_this_model_at_once(hasty_fleet: Fleet, model: str, path: str) -> None:
    hasty_fleet["first"].do(hasty_fleet["first"].node.faults.hang)
    assert hasty_fleet.ask(path, model).status == 504
    answer = hasty_fleet.ask(path, model)
    assert (answer.status, answer.node) == (200, "second")
    assert ("first", "unhealthy") in [(e["node"], e["reason"]) for e in hasty_fleet.decision(answer)["eliminated"]]


@both
@pytest.mark.usefixtures("_a_slow_node")
def test_a_gap_in_a_stream_ends_it_with_an_error(hasty_fleet: Fleet, path: str) -> None:
    def once() -> bool:  # the circuit may still be open after the other dialect's turn
        nonlocal answer
        answer = hasty_fleet.ask(path, SLOW_MODEL, stream=True)
        return answer.status == 200

    answer = None
    until(once)
    assert answer is not None
    assert b"nothing further within 0.5 s" in answer.body.rstrip().splitlines()[-1]
    assert hasty_fleet.decision(answer)["outcome"] == "timed_out"


@both
def test_three_failures_suspend_a_node_for_one_model_and_time_brings_it_back(
    hasty_fleet: Fleet, model: str, path: str
) -> None:
    first = hasty_fleet["first"]
    hasty_fleet.warm(model, "first", "second")
    for _ in range(3):
        first.do(lambda: first.node.faults.answer(502, "bad gateway"))
        assert stranger(hasty_fleet, path, model).headers["x-fleet-retries"] == "1"
    suspended = stranger(hasty_fleet, path, model)
    assert (suspended.node, suspended.headers["x-fleet-retries"]) == ("second", "0")
    assert ("first", "unhealthy") in [(e["node"], e["reason"]) for e in hasty_fleet.decision(suspended)["eliminated"]]
    until(lambda: stranger(hasty_fleet, path, model).node == "first")


@both
def test_a_node_suspended_for_one_model_serves_the_others(hasty_fleet: Fleet, model: str, path: str) -> None:
    first = hasty_fleet["first"]
    hasty_fleet.warm(model, "first", "second")
    first.do(lambda: first.node.faults.answer(502, "bad gateway", times=3))
    for _ in range(3):
        stranger(hasty_fleet, path, model)
    assert hasty_fleet.ask(path, hasty_fleet.fresh.popleft()).node == "first"
