"""Answers a request about models in ASGI: its body first, then part by part until the client leaves."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from nodes.lib.live import current
from routing import wire
from routing.core.parameters import QueuePolicy
from routing.core.problems import Problem, UpstreamFailed
from routing.management.asked import Asked, Managed
from routing.protocols import OLLAMA
from routing.shutdown import accepting
from routing.upstreams import Head


async def manage(row: Managed, asked: Asked, cors: wire.Headers, send: wire.Send) -> None:
    """The whole answer, sent. Raises Problem if nothing was sent yet, ClientGone."""
    begun = False
    try:
        accepting()
        if row.whole:
            asked = replace(asked, body=await wire.read_body(asked.headers, asked.receive))
        async with _watched(row, asked), aclosing(row.answer(asked)) as parts:
            async for part in parts:
                begun = True
                await _send(part, asked, cors, send)
    except (Problem, UpstreamFailed) as failure:
        if not begun:
            raise worded(failure) from failure
        await wire.body(send, OLLAMA.broken(failure.message, b""), more=True)
    await wire.body(send, b"")


def worded(failure: Problem | UpstreamFailed) -> Problem:
    """The failure as the client hears it: 502, or 504 if a clock ran out; a 503 says when to come back."""
    if isinstance(failure, UpstreamFailed):
        return Problem("upstream_failed", 504 if failure.timed_out else 502, failure.message)
    later = {"Retry-After": str(current(QueuePolicy).retry_after)} if failure.status == 503 else {}
    return replace(failure, headers=failure.headers | later)


@asynccontextmanager
async def _watched(row: Managed, asked: Asked) -> AsyncIterator[None]:
    """What is in the block ends when the client leaves; one that still sends is heard by who reads it."""
    if not row.whole:
        yield
        return
    async with wire.cancelled_when_gone(asked.receive, lambda: False):
        yield


async def _send(part: Head | bytes, asked: Asked, cors: wire.Headers, send: wire.Send) -> None:
    if isinstance(part, bytes):
        await wire.body(send, part, more=True)
        return
    length = [] if part.body is None else [(b"content-length", str(len(part.body)).encode())]
    await wire.start(send, part.status, [*part.headers, *length, *cors])
    if part.body and asked.method != "HEAD":
        await wire.body(send, part.body, more=True)
