"""A client that leaves: wherever its request stands, the engine is let go and the slot is free."""

from collections.abc import Callable

import pytest

from nodes.simulated.thread import Running
from tests.conftest import until
from tests.walks.calls import DIALECTS, Call
from tests.walks.scenes import HUGE, Fleet

SOON = 2.0  # seconds
MANY = 100_000  # tokens: minutes of work
WAYS = [(path, stream) for path in DIALECTS for stream in (False, True)]
ways = pytest.mark.parametrize(("path", "stream"), WAYS, ids=[f"{p} {'streamed' if s else 'whole'}" for p, s in WAYS])


def hanging(alone: Running) -> None:
    """No answer begins."""
    alone.do(alone.node.faults.hang)


def loading(alone: Running) -> None:
    """A model takes a quarter of an hour to load."""
    alone.node.faults.slow_load = 1e6


def healthy(alone: Running) -> None:
    """Tokens come, and come."""


def generates(alone: Running, call: Call, model: str, stream: bool) -> None:
    """Return once tokens come."""
    alone.wait_for(lambda: alone.node.seen.generating.now[model])
    assert not stream or call.line()


def arrived(alone: Running, call: Call, model: str, stream: bool) -> None:
    """Return once the engine has the request."""
    alone.wait_for(lambda: alone.node.seen.in_flight.now[model])


STAGES: dict[str, tuple[Callable[[Running], None], Callable[[Running, Call, str, bool], None]]] = {
    "loading": (loading, arrived),
    "prefill": (hanging, arrived),
    "generating": (healthy, generates),
}


@ways
@pytest.mark.parametrize("stage", STAGES)
def test_at_an_engine_the_work_is_broken_off_and_the_slot_is_free(
    fleet: Fleet, lone_model: str, stage: str, path: str, stream: bool
) -> None:
    alone, name = fleet["alone"], f"{lone_model}:latest"
    prepare, reached = STAGES[stage]
    prepare(alone)
    call = fleet.call(path, lone_model, stream=stream, tokens=MANY)
    reached(alone, call, name, stream)
    call.leave()
    alone.wait_for(lambda: alone.node.seen.cancelled[name] == 1 and not alone.node.seen.in_flight.now[name], SOON)
    until(lambda: fleet.queues(lone_model) == {}, SOON)
    until(lambda: fleet.outcome(lone_model) == "client_gone", SOON)
    alone.do(alone.node.faults.heal)
    assert fleet.ask(path, lone_model).status == 200


@ways
def test_from_a_queue_it_is_gone_at_once_and_the_engine_never_hears_of_it(
    fleet: Fleet, lone_model: str, path: str, stream: bool
) -> None:
    alone, name = fleet["alone"], f"{lone_model}:latest"
    alone.do(alone.node.faults.hang)
    ahead = fleet.call(path, lone_model)
    alone.wait_for(lambda: alone.node.seen.in_flight.now[name])
    queued = fleet.call(path, lone_model, stream=stream)
    until(lambda: fleet.queues(lone_model) == {"alone": (1, 1)}, SOON)
    queued.leave()
    until(lambda: fleet.queues(lone_model) == {"alone": (1, 0)}, SOON)
    until(lambda: fleet.outcome(lone_model) == "client_gone", SOON)
    assert fleet.decisions(lone_model)[-1]["queue_ms"] > 0
    alone.do(alone.node.faults.heal)
    assert ahead.answer().status == 200
    assert fleet.ask(path, lone_model).status == 200
    assert (alone.node.seen.completed[name], alone.node.seen.cancelled[name]) == (2, 0)


@ways
def test_while_held_it_is_no_longer_waited_for(fleet: Fleet, path: str, stream: bool) -> None:
    call = fleet.call(path, HUGE, stream=stream)
    until(lambda: [d for d in fleet.decisions(HUGE) if d["outcome"] is None], SOON)
    call.leave()
    until(lambda: fleet.outcome(HUGE) == "client_gone", SOON)
    assert fleet.decisions(HUGE)[-1]["held_ms"] > 0


@ways
def test_when_the_first_in_line_leaves_the_second_is_served(
    fleet: Fleet, lone_model: str, path: str, stream: bool
) -> None:
    alone, name = fleet["alone"], f"{lone_model}:latest"
    running = fleet.call(path, lone_model, stream=True, tokens=MANY)
    assert running.line()
    waiting = fleet.call(path, lone_model, stream=stream)
    until(lambda: fleet.queues(lone_model) == {"alone": (1, 1)}, SOON)
    running.leave()
    assert waiting.answer().status == 200
    assert alone.node.seen.generating.peak[name] == 1
