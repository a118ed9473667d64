"""The one door to engines for reading: bounded, without redirects, proxies or cookies."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from nodes.core.trouble import words
from nodes.lib.live import current
from nodes.lib.mark import VIA, RouterMark

MOST_MB = 8
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "fleetsite"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine answered, whatever its status."""

    status: int
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None if it is none."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None


@dataclass(eq=False)
class EngineTrouble(Exception):
    """A node that can't be read; `message` is in an operator's words."""

    message: str

    def __str__(self) -> str:
        return self.message


Fetch = Callable[..., Awaitable[Answer]]  # (path, sent=None): a GET, or a POST of `sent` as JSON


def session() -> aiohttp.ClientSession:
    """A client for many engines; each request proves anew that connections are accepted."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(force_close=True, limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=HEADERS,
        timeout=aiohttp.ClientTimeout(total=None),
        trust_env=False,
    )


def fetcher(client: aiohttp.ClientSession, url: str, engine: str) -> Fetch:
    """How one node is asked; raises EngineTrouble. The caller bounds the time."""

    async def fetch(path: str, sent: object = None) -> Answer:
        try:
            return await _ask(client, url, engine, path, sent)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, asyncio.TimeoutError):
                raise
            raise EngineTrouble(_worded(error, url, engine)) from error

    return fetch


def inventory(answer: Answer, url: str, engine: str, path: str) -> dict[str, Any]:
    """The JSON object of a good answer; EngineTrouble says what else came."""
    if answer.status != 200:
        raise EngineTrouble(words(_refusal(answer.status), url, engine, f"{answer.status} to {path}"))
    content = answer.json()
    if not isinstance(content, dict):
        raise EngineTrouble(words("shape", url, engine, f"its answer to {path} is no JSON object"))
    return content


async def _ask(client: aiohttp.ClientSession, url: str, engine: str, path: str, sent: object) -> Answer:
    body = None if sent is None else orjson.dumps(sent)
    method = "GET" if sent is None else "POST"
    mark, address = {VIA: current(RouterMark).value}, url.rstrip("/") + path
    async with client.request(method, address, data=body, headers=mark, allow_redirects=False) as response:
        if 300 <= response.status < 400:
            raise EngineTrouble(words("redirected", url, engine, response.headers.get("Location", "elsewhere")))
        return Answer(response.status, await _bounded(response, url, engine))


async def _bounded(response: aiohttp.ClientResponse, url: str, engine: str) -> bytes:
    read = bytearray()
    async for chunk in response.content.iter_any():
        read += chunk
        if len(read) > MOST_MB * 1_000_000:
            raise EngineTrouble(words("oversized", url, engine, str(MOST_MB)))
    return bytes(read)


def _refusal(status: int) -> str:
    return {401: "locked", 403: "refuses_host", 508: "itself"}.get(status, "status")


# The first that fits: aiohttp's errors are each other's subclasses.
CAUSES: tuple[tuple[type[BaseException], str], ...] = (
    (aiohttp.ClientConnectorDNSError, "unresolved"),
    (socket.gaierror, "unresolved"),
    (ssl.SSLError, "untrusted"),
    (aiohttp.ClientSSLError, "untrusted"),
    (aiohttp.ClientConnectorCertificateError, "untrusted"),
    (aiohttp.ServerDisconnectedError, "disconnected"),
    (ConnectionResetError, "disconnected"),
    (aiohttp.ClientPayloadError, "disconnected"),
    (aiohttp.ClientResponseError, "shape"),
    (ConnectionRefusedError, "refused"),
    (OSError, "no_route"),
)


def _worded(error: Exception, url: str, engine: str) -> str:
    root = _root(error)
    kind = next((word for cause, word in CAUSES if isinstance(error, cause) or isinstance(root, cause)), "shape")
    return words(kind, url, engine, _plain(root))


def _root(error: Exception) -> Exception:
    """The operating system's error inside aiohttp's."""
    inner = getattr(error, "os_error", None)
    return inner if isinstance(inner, OSError) else error


def _plain(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientResponseError):
        return "it does not speak HTTP"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
