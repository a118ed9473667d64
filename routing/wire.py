"""Raw ASGI: a body in, bounded; an answer out; and the moment the client leaves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from nodes.lib.live import current
from routing.core.parameters import AccessPolicy
from routing.core.problems import Problem
from routing.decoding import unpacked
from routing.protocols.base import Answer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class ClientGone(Exception):
    """The client left."""


def headers_of(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name; the values of a repeated one are one list, as HTTP reads them."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        found[name] = found[name] + b", " + value if name in found else value
    return found


async def read_body(headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
    """The whole body, unpacked; Problem (413) beyond the limit, ClientGone if it never came whole."""
    limit = int(current(AccessPolicy).max_body_mb * 1_000_000)
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and int(announced) > limit:
        raise too_large(limit)
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > limit:
            raise too_large(limit)
        if not message.get("more_body"):
            return await _plain(headers, pieces[0] if len(pieces) == 1 else b"".join(pieces), limit)


async def _plain(headers: Mapping[bytes, bytes], body: bytes, limit: int) -> bytes:
    encoding = headers.get(b"content-encoding", b"").decode("latin-1").strip().lower()
    if encoding in ("", "identity"):
        return body
    plain = await asyncio.to_thread(unpacked, body, encoding, limit)  # the loop serves others meanwhile
    if len(plain) > limit:
        raise too_large(limit)
    return plain


def too_large(limit: int) -> Problem:
    """413."""
    return Problem("invalid", 413, f"the body is larger than {limit / 1e6:g} MB (FLEET_MAX_BODY_MB)")


@asynccontextmanager
async def cancelled_when_gone(receive: Receive, over: Callable[[], bool]) -> AsyncIterator[None]:
    """What is in the block is cancelled as soon as the client leaves, and ClientGone raised; not once it is `over`."""
    task, gone = asyncio.current_task(), False
    assert task is not None

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        if not over():
            gone = True
            task.cancel("client gone")

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not gone:
            raise
        task.uncancel()
        raise ClientGone from None
    finally:
        watcher.cancel()


async def start(send: Send, status: int, headers: Headers) -> None:
    """The status line and headers."""
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def body(send: Send, piece: bytes, more: bool = False) -> None:
    """A piece of the body."""
    await send({"type": "http.response.body", "body": piece, "more_body": more})


async def answer(send: Send, said: Answer, headers: Headers = (), head_only: bool = False) -> None:  # type: ignore[assignment]
    """An answer of our own, whole."""
    lines: Headers = [
        (b"content-type", said.content_type),
        (b"content-length", str(len(said.body)).encode()),
        *((k.lower().encode("latin-1"), v.encode("latin-1", "replace")) for k, v in said.headers.items()),
        *headers,
    ]
    await start(send, said.status, lines)
    await body(send, b"" if head_only else said.body)
