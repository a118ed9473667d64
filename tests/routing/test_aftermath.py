"""What an answer proves while its client is still there, or has just left."""

from typing import Any

import pytest

from nodes.core.values import QueueKey, Standing
from nodes.fleet.memory import MemoryFleet
from routing.aftermath import judge, judged, problem_of, proven, verdict
from routing.core.problems import SlotRefused, UpstreamFailed
from routing.core.request import Demand, InferenceRequest
from routing.recorder import Trace
from routing.upstreams import Head
from tests.routing.factories import MODEL, node, request, trace

DONE = {
    "/api/chat": b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"eval_count":3}\n',
    "/v1/chat/completions": b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
}
HALF = {
    "/api/chat": b'{"model":"m","message":{"role":"assistant","content":"hel"},"done":false}\n',
    "/v1/chat/completions": b'data: {"choices":[{"delta":{"content":"hel"},"finish_reason":null}]}\n\n',
}
STUDIO = QueueKey("studio", MODEL)
paths = pytest.mark.parametrize("path", DONE)


def streamed(path: str, tail: bytes) -> tuple[InferenceRequest, Trace]:
    """A streamed request whose answer has come so far."""
    request = InferenceRequest("1", "", path, b"", {}, "m", Demand(("m:latest",), 1, frozenset()), True, 0.0)
    trace = Trace(path, "")
    trace.started = bool(tail)
    trace.saw(200, tail)
    return request, trace


@paths
def test_a_client_that_leaves_with_the_terminal_line_in_its_hands_has_had_its_answer(path: str) -> None:
    assert proven(*streamed(path, HALF[path] + DONE[path]))


@paths
def test_a_client_that_leaves_before_the_terminal_line_has_not(path: str) -> None:
    assert not proven(*streamed(path, HALF[path]))


@paths
def test_a_client_that_leaves_before_the_first_byte_has_not(path: str) -> None:
    assert not proven(*streamed(path, b""))


def test_a_request_with_an_outcome_needs_no_further_proof() -> None:
    request, trace = streamed("/api/chat", b"")
    trace.ended("invalid", 400)
    assert proven(request, trace)


def test_an_engines_failure_is_the_verdict_even_if_a_place_was_lost_after_it() -> None:
    request, trace = streamed("/api/chat", b"")
    trace.failed(UpstreamFailed("mini broke off"), "mini")
    trace.failed(SlotRefused("it stopped taking requests"), "studio")
    assert verdict(request, trace).outcome == "upstream_failed"


def test_full_queues_alone_are_the_verdict_where_no_engine_was_asked() -> None:
    request, trace = streamed("/api/chat", b"")
    trace.failed(SlotRefused("its queue is full", full=True), "mini")
    assert verdict(request, trace).outcome == "queue_full"


def tried(**asked: Any) -> Trace:
    """The trace of a request that an engine was asked."""
    known = trace(request(**asked), node())
    known.tries(Standing("running", STUDIO), node())
    return known


def answered(known: Trace, *parts: Head | bytes) -> Trace:
    """The trace after these parts and the end of the answer."""
    assert known.request is not None
    for part in (*parts, None):
        judge(known.request, known, part)
    return known


def test_an_answer_that_its_terminal_line_ends_is_completed() -> None:
    assert answered(tried(), Head(200, ()), HALF["/api/chat"], DONE["/api/chat"]).outcome == "completed"


@pytest.mark.parametrize("parts", [(Head(200, ()), HALF["/api/chat"]), (Head(200, ()),)], ids=["half", "nothing"])
def test_a_stream_without_its_terminal_line_is_a_failure(parts: tuple[Head | bytes, ...]) -> None:
    with pytest.raises(UpstreamFailed, match="without its terminal line"):
        answered(tried(), *parts)


def test_a_whole_answer_without_its_terminal_word_is_a_failure_before_anything_is_sent() -> None:
    known = tried(stream=False)
    assert known.request is not None
    with pytest.raises(UpstreamFailed):
        judge(known.request, known, Head(200, (), HALF["/api/chat"]))


def test_an_error_line_after_200_is_no_success() -> None:
    known = answered(tried(), Head(200, ()), HALF["/api/chat"], b'{"error":"unexpected EOF"}\n')
    assert (known.outcome, "unexpected EOF" in known.reason) == ("upstream_failed", True)


def test_what_the_engine_calls_the_clients_fault_is_invalid() -> None:
    assert answered(tried(), Head(400, (), b'{"error":"bad"}')).outcome == "invalid"


def test_until_something_is_proven_the_outcome_is_unknown() -> None:
    assert tried().outcome is None


def test_a_full_fleet_is_told_with_the_time_to_come_back() -> None:
    problem = problem_of(request(), UpstreamFailed("studio answered 503: busy", 503, against=False))
    assert (problem.status, problem.retry_after) == (502, 5)


def test_a_clock_that_ran_out_is_told_as_such() -> None:
    assert problem_of(request(), UpstreamFailed("late", 504, timed_out=True)).outcome == "timed_out"


def test_when_all_queues_were_full_the_client_is_told_to_come_back() -> None:
    problem = verdict(request(), trace(request()))
    assert (problem.outcome, problem.status, problem.retry_after) == ("queue_full", 503, 5)


async def blame(failure: UpstreamFailed) -> None:
    """A try that ended so."""
    known = tried()
    assert known.request is not None
    with pytest.raises(UpstreamFailed):
        async with judged(known.request, known):
            raise failure


async def test_a_stall_suspends_the_node_for_that_model(fleet: MemoryFleet) -> None:
    await fleet.put_node(node())
    await blame(UpstreamFailed("late", 504, stalled=True))
    assert fleet.snapshot().unhealthy == {STUDIO}


async def test_a_busy_engine_is_not_suspended(fleet: MemoryFleet) -> None:
    await fleet.put_node(node())
    for _ in range(9):
        await blame(UpstreamFailed("busy", 503, against=False))
    assert fleet.snapshot().unhealthy == set()


async def test_what_an_engine_does_after_its_terminal_line_is_no_failure(fleet: MemoryFleet) -> None:
    await fleet.put_node(node())
    known = tried()
    assert known.request is not None
    async with judged(known.request, known):
        judge(known.request, known, Head(200, ()))
        judge(known.request, known, DONE["/api/chat"])
        known.started = True
        raise UpstreamFailed("studio broke off", stalled=True)
    assert (known.outcome, known.completion_tokens, fleet.snapshot().unhealthy) == ("completed", 3, set())
