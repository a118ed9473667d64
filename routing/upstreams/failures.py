"""Which answers of an engine are worth another node: the recorded table (spec §6)."""

import os
import re
import socket
import ssl

from nodes.core.values import NodeSnapshot
from routing.core.problems import UpstreamFailed

ELSEWHERE = frozenset({429, 502, 503, 504})  # saturated or away: another node may answer
BUSY = frozenset({429, 503})  # says nothing against the engine: it is full or still loading
RUNNER_DEATHS = re.compile(  # texts of 500s that mean: it could not load, or its runner died
    rb"runner process has terminated|runner process no longer running|error was encountered while running the model"
    rb"|model failed to load|failed to load model|unable to load model|out of memory|cudaMalloc failed"
    rb"|requires more system memory|timed out waiting for llama runner|error loading model|unexpected EOF",
    re.IGNORECASE,
)
# A 404 that speaks of the model; any other says that the engine lacks the route.
MISSING = re.compile(rb"(?=.*\bmodel\b).*(not found|does not exist|no such model)", re.IGNORECASE | re.DOTALL)


def told(error: BaseException) -> str:
    """An exception in words that are never empty, without addresses of the inner network."""
    return type(error).__name__ if isinstance(error, OSError) and error.errno is None else _plain(error)


def refusal(node: NodeSnapshot, status: int, body: bytes) -> UpstreamFailed | None:
    """The failure that this answer means, if another node may do better; None: pass it to the client."""
    excerpt = body[:200].decode("utf-8", "replace")
    if status in ELSEWHERE:
        return UpstreamFailed(f"{node.name} answered {status}: {excerpt}", status, against=status not in BUSY)
    if status == 404 and MISSING.match(body):
        return UpstreamFailed(f"{node.name} no longer has the model", 404, against=False, stale=True)
    if status == 500 and RUNNER_DEATHS.search(body):
        return UpstreamFailed(f"{node.name} answered 500: {excerpt}", 500)
    return None


def _plain(error: BaseException) -> str:
    reason = getattr(error, "os_error", error)
    words = _words(reason)
    return f"{type(reason).__name__}: {words}" if words else type(reason).__name__


def _words(reason: BaseException) -> str:
    """The system's own words for it: those of libraries name hosts and addresses."""
    if isinstance(reason, ssl.SSLError):
        return getattr(reason, "reason", None) or ""
    if isinstance(reason, socket.gaierror) or not isinstance(reason, OSError):
        return getattr(reason, "strerror", None) or ""
    return os.strerror(reason.errno) if reason.errno else ""
