"""How one try came out: proven, refused by the engine, broken off; and what that says of the node."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.poller import ask_now, now_loaded
from routing.core.context import suspicion
from routing.core.problems import Problem, UpstreamFailed
from routing.core.request import InferenceRequest
from routing.protocols import PROTOCOLS
from routing.recorder import Trace, blame, learn
from routing.router import refused
from routing.upstreams import Head
from routing.upstreams.words import answered, kept, said

CLIENTS_FAULT = frozenset({400, 413, 415, 422})  # the engine says the request is wrong

USUAL_CONTEXT = 4096  # tokens: no engine loads a model with less unless it is told to (peers: D8)


def judge(request: InferenceRequest, trace: Trace, part: Head | bytes | None) -> None:
    """Take note of one part; at the end (a Head with its body, or None) decide what the answer proves.

    Raises UpstreamFailed for an answer that is not whole.
    """
    if isinstance(part, bytes):
        trace.saw(None, part)
    elif part is not None:
        trace.saw(part.status, part.body or b"")
        trace.reason, trace.translated = part.note or trace.reason, bool(part.note)
    if part is None:
        _decide(request, trace, trace.tail)
    elif isinstance(part, Head) and part.body is not None:
        _decide(request, trace, part.body)


def proven(request: InferenceRequest, trace: Trace) -> bool:
    """Has the engine's terminal line passed? Clients leave and engines break off as they like then."""
    streaming = request.stream and trace.started
    return trace.done or (streaming and PROTOCOLS[request.path].ending(request.path, True, trace.tail).complete)


async def note_life(trace: Trace) -> None:
    """A part came: its node lives. After a cold load, the very next request shall find the model resident."""
    await get_fleet().touch(trace.node_id)  # which is cheap, however often it is called
    if trace.cold:
        trace.cold = False
        if (trace.status or 0) < 400:
            await now_loaded(trace.node_id, trace.served_model)


def verdict(request: InferenceRequest, trace: Trace) -> Problem:
    """All that could serve were tried: the last engine's failure, as the client shall hear it."""
    if trace.engine_failure is not None:
        return problem_of(request, trace.engine_failure)
    return refused("queue_full", "every queue that could take this request is full")


def problem_of(request: InferenceRequest, failure: UpstreamFailed) -> Problem:
    """A failed engine, before anything was sent to the client."""
    if failure.refusal is not None:
        return failure.refusal
    if failure.timed_out:
        return Problem("timed_out", 504, failure.message)
    if failure.stale:
        return Problem("unknown_model", 404, request.asked)
    saturated = failure.status in (429, 503)
    later = refused("upstream_failed", "").retry_after if saturated else None
    return Problem("upstream_failed", 502, failure.heard or failure.message, retry_after=later, kept=failure.message)


@asynccontextmanager
async def judged(request: InferenceRequest, trace: Trace) -> AsyncIterator[None]:
    """What happens in the block speaks for or against the node that holds its slot: the fleet is told while it does.

    A failure counts in the circuit of node:model, and the node is looked at again.
    """
    try:
        with _last_word(request, trace):
            yield
        judge(request, trace, None)
        await learn(trace, request.session)
    except UpstreamFailed as raised:
        failure = _blamed(request, trace, raised)
        if failure.against:
            await blame(trace, failure.stalled)
        ask_now(trace.node_id)
        raise failure from raised.__cause__


def _blamed(request: InferenceRequest, trace: Trace, failure: UpstreamFailed) -> UpstreamFailed:
    """A load that this request's own options made too large says nothing of the node, and two nodes are enough."""
    if not (failure.no_memory and _asks_for_more(request, get_fleet().node(trace.node_id), trace.served_model)):
        return failure
    own = "the options of this request ask for more than usual"
    heard = f"{failure.heard or failure.message} ({own})"
    message = f"{failure.message} ({own})"
    return replace(failure, message=message, heard=heard, against=False, retryable=trace.tried < 2)


def _asks_for_more(request: InferenceRequest, node: NodeSnapshot | None, model: str) -> bool:
    """Is the model to be loaded with more than this node does by itself, or has done already?"""
    resident = node.resident.get(model) if node else None
    usual = resident.context if resident and resident.context else USUAL_CONTEXT
    return request.tuned or request.context > usual


@contextmanager
def _last_word(request: InferenceRequest, trace: Trace) -> Iterator[None]:
    """Once the terminal line has passed, no failure of the engine takes it back."""
    try:
        yield
    except UpstreamFailed:
        if not proven(request, trace):
            raise


def _decide(request: InferenceRequest, trace: Trace, content: bytes) -> None:
    if trace.outcome is not None:
        return
    if (trace.status or 0) >= 400:
        reason = answered(trace.node, trace.status or 0, kept(said(content)))
        trace.ended("invalid" if trace.status in CLIENTS_FAULT else "upstream_failed", trace.status, reason)
        return
    ending = PROTOCOLS[request.path].ending(request.path, request.stream, content)
    trace.prompt_tokens, trace.completion_tokens = ending.prompt_tokens, ending.completion_tokens
    if ending.error:
        words = (f"{trace.node} ended its answer in an error", kept(ending.error))
        trace.ended("upstream_failed", trace.status, ": ".join(filter(None, words)))
    elif not ending.complete:
        raise UpstreamFailed(f"{trace.node} ended the answer without its terminal line")
    else:
        cut = suspicion(request.prompt_tokens, ending.prompt_tokens, trace.context)
        trace.ended("completed", trace.status, cut)
