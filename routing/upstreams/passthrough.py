"""An engine that speaks the client's dialect: its bytes go through untouched."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress

import aiohttp

from nodes.core.values import NodeSnapshot
from nodes.lib.live import current
from routing.core.estimates import UNKNOWN_GB
from routing.core.parameters import FailurePolicy
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.upstreams.base import Head, Over
from routing.upstreams.client import post
from routing.upstreams.failures import refusal
from routing.upstreams.outgoing import body_for

NOT_FORWARDED = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade"
    b" content-length date server access-control-allow-origin access-control-allow-credentials"
    b" access-control-allow-methods access-control-allow-headers access-control-expose-headers"
    b" x-accel-buffering".split()
)

LINGER = 1.0  # seconds of silence after which an engine that has said its last word is left


async def pass_through(
    node: NodeSnapshot, request: InferenceRequest, model: str, load_seconds: float, over: Over
) -> AsyncGenerator[Head | bytes, None]:
    """The Head, then the answer's bytes; a whole answer in one piece, so that nothing half is ever sent."""
    limits = current(FailurePolicy)
    body = body_for(request, node, model)
    headers = [*request.headers, ("Accept-Encoding", "identity")]
    if request.stream:
        parts = _streamed(node, request.path, body, headers, limits.first_token + load_seconds, limits.gap, over)
    else:
        parts = _whole(node, request.path, body, headers, limits.answer + load_seconds)
    async with aclosing(parts):
        async for part in parts:
            yield part


async def _whole(
    node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]], seconds: float
) -> AsyncGenerator[Head | bytes, None]:
    async with within(node, seconds, "no whole answer"), post(node, path, body, headers) as answer:
        content = await answer.read()
    _pass_or_raise(node, answer.status, content)
    yield Head(answer.status, _kept(answer), content)


async def _streamed(
    node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]], first: float, gap: float, over: Over
) -> AsyncGenerator[Head | bytes, None]:
    async with AsyncExitStack() as stack:
        async with within(node, first, "no first byte"):
            answer = await stack.enter_async_context(post(node, path, body, headers))
            chunk = await (answer.content.readany() if answer.status < 400 else answer.read())
        _pass_or_raise(node, answer.status, chunk)
        if answer.status >= 400:
            yield Head(answer.status, _kept(answer), chunk)
            return
        if not chunk:
            raise UpstreamFailed(f"{node.name} ended its answer before the first byte")
        yield Head(answer.status, _kept(answer))
        while chunk:
            yield chunk
            chunk = await _further(node, answer, gap, over)


async def _further(node: NodeSnapshot, answer: aiohttp.ClientResponse, gap: float, over: Over) -> bytes:
    """The next bytes; none at the end, nor from an engine that says no more but does not close either."""
    soon = min(LINGER, gap)
    with suppress(TimeoutError):
        async with asyncio.timeout(soon):
            return await answer.content.readany()
    if over():
        return b""
    async with within(node, gap, "nothing further", soon):
        return await answer.content.readany()


@asynccontextmanager
async def within(node: NodeSnapshot, seconds: float, what: str, spent: float = 0.0) -> AsyncIterator[None]:
    """One clock, `spent` seconds old: UpstreamFailed with 504 when it runs out. A stall: no other node is asked."""
    try:
        async with asyncio.timeout(seconds - spent):
            yield
    except TimeoutError as error:
        words = f"{node.name} gave {what} within {seconds:g} s"
        raise UpstreamFailed(words, 504, retryable=False, stalled=True, timed_out=True) from error


def _pass_or_raise(node: NodeSnapshot, status: int, content: bytes) -> None:
    failure = refusal(node, status, content) if status >= 400 else None
    if failure:
        raise failure


def _kept(answer: aiohttp.ClientResponse) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((k, v) for k, v in ((k.lower(), v) for k, v in answer.raw_headers) if k not in NOT_FORWARDED)


def load_seconds(node: NodeSnapshot, model: str) -> float:
    """The load clock: a base and so much per GB, at most the limit (spec §6); an unknown size is large."""
    limits = current(FailurePolicy)
    known = node.on_disk.get(model)
    size = known.size_gb if known and known.size_gb else UNKNOWN_GB
    return min(limits.load_max, limits.load_base + limits.load_per_gb * size)
