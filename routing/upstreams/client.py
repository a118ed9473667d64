"""The one HTTP client of engines: pooled connections, our clocks, every failure a typed one."""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import aiohttp

from nodes.core.values import NodeSnapshot
from nodes.lib.live import current
from nodes.lib.mark import VIA, RouterMark
from routing.core.parameters import FailurePolicy
from routing.core.problems import UpstreamFailed
from routing.upstreams.failures import told

Body = bytes | AsyncIterable[bytes]
Response = aiohttp.ClientResponse
KEEP_ALIVE = 4.0  # llama.cpp and uvicorn close idle connections after five seconds
CLOSED_MEANWHILE = 1.0  # seconds in which a kept connection shows that it was closed; later, the engine died at work
_sessions: dict[int, aiohttp.ClientSession] = {}


def session(fresh: bool = False) -> aiohttp.ClientSession:
    """This loop's client; `fresh` never takes a connection that was used before."""
    mark = id(asyncio.get_running_loop()) * 2 + fresh
    held = _sessions.get(mark)
    if held is None or held.closed:
        held = _sessions[mark] = aiohttp.ClientSession(
            connector=_Connector(limit=0, force_close=True)
            if fresh
            else _Connector(limit=0, keepalive_timeout=KEEP_ALIVE),
            auto_decompress=False,
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )
    return held


async def close() -> None:
    """Close this process's connections to engines."""
    held = list(_sessions.values())
    _sessions.clear()
    for one in held:
        await one.close()


def post(
    node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]]
) -> AbstractAsyncContextManager[Response]:
    """An engine's answer to a POST."""
    return asked(node, "POST", path, body, headers)


@asynccontextmanager
async def asked(
    node: NodeSnapshot, method: str, path: str, body: Body, headers: list[tuple[str, str]]
) -> AsyncIterator[Response]:
    """An engine's answer, its head read; closed with the block. Raises UpstreamFailed.

    A kept connection that the engine had closed meanwhile is no failure: once more, on a fresh one. A body that comes
    in pieces can be sent once only: on a fresh one from the start.
    """
    response = await _opened(node, method, path, body, headers)
    try:
        yield response
    except (aiohttp.ClientError, ConnectionError) as error:
        raise UpstreamFailed(f"{node.name} broke off: {told(error)}") from error
    finally:
        response.close()


class _Connector(aiohttp.TCPConnector):
    """Tells the task that takes a connection whether it had been used before: aiohttp's traces cost 40 µs a request."""

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        """A connection, new or kept."""
        connection = await super().connect(req, traces, timeout)
        protocol = connection.protocol
        _kept.set(protocol in _used)
        _used.add(protocol)
        return connection


_used: WeakSet[Any] = WeakSet()  # the connections that carried a request already
_kept: ContextVar[bool] = ContextVar("kept", default=False)  # this task's request went over one of them


def _met_a_closed_door(began: float) -> bool:
    """Had the engine closed the kept connection before it saw this request?"""
    return _kept.get() and time.monotonic() - began < CLOSED_MEANWHILE


async def _opened(node: NodeSnapshot, method: str, path: str, body: Body, headers: list[tuple[str, str]]) -> Response:
    for fresh in (False, True) if isinstance(body, bytes) else (True,):
        began = time.monotonic()
        _kept.set(False)
        try:
            return await _send(session(fresh), node, method, path, body, headers)
        except (aiohttp.ClientConnectionError, TimeoutError, OSError) as error:
            if not _met_a_closed_door(began):
                raise UpstreamFailed(f"{node.name} {_silence(error)}") from error
        except aiohttp.ClientError as error:
            raise UpstreamFailed(f"{node.name} gave no HTTP answer: {told(error)}") from error
    raise AssertionError("unreachable: a fresh connection is never a kept one")


def _silence(error: BaseException) -> str:
    closed = isinstance(error, aiohttp.ServerDisconnectedError | ConnectionResetError | BrokenPipeError)
    return "closed the connection without an answer" if closed else f"can't be reached: {told(error)}"


async def _send(
    client: aiohttp.ClientSession,
    node: NodeSnapshot,
    method: str,
    path: str,
    body: Body,
    headers: list[tuple[str, str]],
) -> Response:
    url, data, timeout = node.url + path, body or None, _patience(current(FailurePolicy).connect)
    marked = [*headers, (VIA, current(RouterMark).value)]
    return await client.request(method, url, data=data, headers=marked, timeout=timeout, allow_redirects=False)


@lru_cache(maxsize=4)
def _patience(connect: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect)
