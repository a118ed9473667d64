"""Which answers of an engine are worth another node: the recorded table (spec §6)."""

import os
import re
import socket
import ssl

import aiohttp

from nodes.core.values import NodeSnapshot
from routing.core.problems import UpstreamFailed
from routing.upstreams.words import NO_MEMORY, RUNNER_DEATHS, answered, kept, said

ELSEWHERE = frozenset({429, 502, 503, 504, 508})  # saturated, away or leading back here: another node may answer
BUSY = frozenset({429, 503})  # says nothing against the engine: it is full or still loading
# A 404 that speaks of the model; any other says that the engine lacks the route.
MISSING = re.compile(r"(?=.*\bmodel\b).*(not found|does not exist|no such model)", re.IGNORECASE | re.DOTALL)

# The first that fits: most of these are each other's subclasses.
PLAIN: tuple[tuple[type[BaseException], str], ...] = (
    (aiohttp.ClientConnectorCertificateError, "its certificate is not trusted"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "no encrypted connection came about"),
    (TimeoutError, "no connection in time"),
    (aiohttp.ServerDisconnectedError, "the connection was closed"),
    (ConnectionResetError, "the connection was closed"),
    (aiohttp.ClientPayloadError, "the answer came incomplete"),
    (aiohttp.ClientResponseError, "it does not speak HTTP"),
)


def told(error: BaseException) -> str:
    """An exception in plain words, which are never empty; without addresses of the inner network."""
    reason = getattr(error, "os_error", error)
    return next((words for kind, words in PLAIN if isinstance(reason, kind)), "") or _systems(reason)


def refusal(node: NodeSnapshot, status: int, body: bytes) -> UpstreamFailed | None:
    """The failure that an answer of 300 or more means, if another node may do better; None: pass it to the client."""
    words = said(body)
    if status < 400:  # a redirect would lead the client past the router
        return UpstreamFailed(f"{node.name} answered {status}: redirects are not followed")
    if status in ELSEWHERE:
        return failed(node, status, words, against=status not in BUSY)
    if status == 404 and MISSING.match(words):
        return UpstreamFailed(f"{node.name} no longer has the model", 404, against=False, stale=True)
    if status == 500 and RUNNER_DEATHS.search(words):
        return failed(node, status, words, no_memory=NO_MEMORY.search(words) is not None)
    return None


def failed(
    node: NodeSnapshot, status: int, words: str, against: bool = True, no_memory: bool = False
) -> UpstreamFailed:
    """The failure behind an error answer: the client hears the engine's words, the record keeps what is known."""
    heard = answered(node.name, status, words)
    recorded = answered(node.name, status, kept(words))
    return UpstreamFailed(recorded, status, against=against, no_memory=no_memory, heard=heard)


def _systems(reason: BaseException) -> str:
    """The system's own words for it: those of libraries name hosts and addresses."""
    if isinstance(reason, socket.gaierror):
        return reason.strerror or "its name is not known"
    number = reason.errno if isinstance(reason, OSError) else None
    return os.strerror(number) if number else "the connection failed"
