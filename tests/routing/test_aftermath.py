"""What an answer proves while its client is still there, or has just left."""

import pytest

from routing.aftermath import proven, verdict
from routing.core.problems import SlotRefused, UpstreamFailed
from routing.core.request import Demand, InferenceRequest
from routing.recorder import Trace

DONE = {
    "/api/chat": b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"eval_count":3}\n',
    "/v1/chat/completions": b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
}
HALF = {
    "/api/chat": b'{"model":"m","message":{"role":"assistant","content":"hel"},"done":false}\n',
    "/v1/chat/completions": b'data: {"choices":[{"delta":{"content":"hel"},"finish_reason":null}]}\n\n',
}
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
