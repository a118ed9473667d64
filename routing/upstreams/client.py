"""The one HTTP client of engines: pooled connections, our clocks, every failure a typed one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from nodes.core.values import NodeSnapshot
from nodes.lib.live import current
from routing.core.parameters import FailurePolicy
from routing.core.problems import UpstreamFailed
from routing.upstreams.failures import told

KEEP_ALIVE = 4.0  # llama.cpp and uvicorn close idle connections after five seconds
_sessions: dict[int, aiohttp.ClientSession] = {}


def session(fresh: bool = False) -> aiohttp.ClientSession:
    """This loop's client; `fresh` never takes a connection that was used before."""
    mark = id(asyncio.get_running_loop()) * 2 + fresh
    held = _sessions.get(mark)
    if held is None or held.closed:
        connector = (
            aiohttp.TCPConnector(limit=0, force_close=True)
            if fresh
            else aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE)
        )
        held = _sessions[mark] = aiohttp.ClientSession(
            connector=connector,
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


@asynccontextmanager
async def post(
    node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]]
) -> AsyncIterator[aiohttp.ClientResponse]:
    """An engine's answer, its head read; closed with the block. Raises UpstreamFailed.

    A kept connection that the engine had closed meanwhile is no failure: once more, on a fresh one.
    """
    response = await _opened(node, path, body, headers)
    try:
        yield response
    except (aiohttp.ClientError, ConnectionError) as error:
        raise UpstreamFailed(f"{node.name} broke off: {told(error)}") from error
    finally:
        response.close()


async def _opened(node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]]) -> aiohttp.ClientResponse:
    for fresh in (False, True):
        try:
            return await _send(session(fresh), node, path, body, headers)
        except (aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError) as error:
            if fresh:
                raise UpstreamFailed(f"{node.name} closed the connection without an answer") from error
        except (aiohttp.ClientConnectionError, TimeoutError, OSError) as error:
            raise UpstreamFailed(f"{node.name} can't be reached: {told(error)}") from error
        except aiohttp.ClientError as error:
            raise UpstreamFailed(f"{node.name} gave no HTTP answer: {told(error)}") from error
    raise AssertionError("unreachable")


async def _send(
    client: aiohttp.ClientSession, node: NodeSnapshot, path: str, body: bytes, headers: list[tuple[str, str]]
) -> aiohttp.ClientResponse:
    connect = current(FailurePolicy).connect
    timeout = aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect)
    return await client.post(node.url + path, data=body, headers=headers, timeout=timeout, allow_redirects=False)
