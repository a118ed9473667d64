"""DOORS of the data plane: which pages, which names, which keys may come in (spec §7, §10)."""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from nodes.core.names import normal
from nodes.lib.digest import digest
from nodes.lib.hosts import is_known_host, origins
from nodes.lib.live import current
from nodes.lib.local import Caller, caller
from nodes.lib.mark import VIA, RouterMark
from routing.core.access import Key, Keys
from routing.core.parameters import AccessPolicy
from routing.core.problems import Problem

# Ollama's own list of origins that may call it.
LOCAL_ORIGINS = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")
FORWARDING = (b"forwarded", b"x-forwarded-")  # the only headers worth decoding to know who asks
known_host = lru_cache(maxsize=512)(is_known_host)
APP_SCHEMES = ("app://", "file://", "tauri://", "vscode-webview://", "vscode-file://")


def check_loop(headers: Mapping[bytes, bytes]) -> None:
    """Raises Problem for a request that this router has sent to a node, and that has come back to it."""
    passed = headers.get(VIA.lower().encode(), b"")
    if passed and current(RouterMark).value in (mark.strip() for mark in passed.decode("latin-1").split(",")):
        raise refusal(508, "this request came from this router: a node of the fleet is the router itself; remove it")


def check_page(headers: Mapping[bytes, bytes]) -> str:
    """The web origin to answer with CORS headers, or "". Raises Problem for a foreign page or a foreign name."""
    access = current(AccessPolicy)
    host = headers.get(b"host", b"").decode("latin-1")
    if host and not known_host(host, access.allowed_hosts):
        raise refusal(403, f"this server is not called {host!r}; add the name to FLEET_ALLOWED_HOSTS")
    origin = headers.get(b"origin", b"").decode("latin-1")
    own = origin.partition("://")[2] == host
    if origin and not own and not origin_allowed(origin, access.cors_origins):
        raise refusal(403, f"pages of {origin} may not call this server; add the origin to FLEET_CORS_ORIGINS")
    return origin


@lru_cache(maxsize=512)
def origin_allowed(origin: str, listed: str) -> bool:
    """Is this a page of this machine, of an app, or one that the operator listed?"""
    allowed, bare = origins(listed), origin.lower()
    if "*" in allowed or bare in allowed or bare.startswith(APP_SCHEMES):
        return True
    name = bare.removeprefix("http://").removeprefix("https://")
    return name != bare and (name in LOCAL_ORIGINS or name.rsplit(":", 1)[0] in LOCAL_ORIGINS)


def who_asks(headers: Mapping[bytes, bytes], peer: str) -> Caller:
    """Who is behind this connection."""
    forwarding = (
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in headers.items()
        if name.startswith(FORWARDING)
    )
    return caller(peer, forwarding, current(AccessPolicy).trusted_proxies)


def key_of(headers: Mapping[bytes, bytes], local: bool) -> Key | None:
    """The key a request came with. Raises Problem where one is needed and missing, wrong or expired."""
    access = current(AccessPolicy)
    needed = access.require_key == "always" or (access.require_key == "auto" and not local)
    sent = presented(headers)
    key = current(Keys).by_digest.get(digest(sent)) if sent else None
    if key and key.expires_at and key.expires_at < time.time():
        raise refusal(401, f"the API key {key.name!r} has expired; ask for a new one")
    if needed and key is None:
        words = "this API key is not known here" if sent else "an API key is needed from this address"
        raise refusal(401, f"{words}; make one with `python manage.py key create NAME` and send it as a Bearer token")
    return key


def presented(headers: Mapping[bytes, bytes]) -> str:
    """What the client sent as its key, in either header; empty if nothing."""
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    sent = token if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
    return sent.strip().decode("latin-1")


def check_model(key: Key | None, models: tuple[str, ...]) -> None:
    """Raises Problem if this key may not use one of these models."""
    for model in models:
        if not may_use(key, model):
            raise refusal(403, f"the API key {key.name if key else ''!r} may not use {model}")


def may_use(key: Key | None, model: str) -> bool:
    """Is the model among those of the key?"""
    return key is None or not key.models or normal(model) in key.models


class Meter:
    """Requests of each key: per minute, and at once."""

    def __init__(self) -> None:
        self.recent: dict[str, deque[float]] = {}
        self.running: dict[str, int] = {}

    @contextmanager
    def counted(self, key: Key | None) -> Iterator[None]:
        """Count one request of this key; raises Problem (429) beyond its limits."""
        if key is None or (key.rpm is None and key.max_in_flight is None):
            yield
            return
        self._admit(key, time.monotonic())
        self.running[key.name] = self.running.get(key.name, 0) + 1
        try:
            yield
        finally:
            self.running[key.name] -= 1

    def _admit(self, key: Key, now: float) -> None:
        recent = self.recent.setdefault(key.name, deque())
        while recent and recent[0] <= now - 60:
            recent.popleft()
        if key.max_in_flight is not None and self.running.get(key.name, 0) >= key.max_in_flight:
            running = f"{key.max_in_flight} request{'s' * (key.max_in_flight != 1)}"
            raise refusal(429, f"the API key {key.name!r} has {running} running", 1)
        if key.rpm is not None and len(recent) >= key.rpm:
            later = max(1, round(recent[0] + 60 - now)) if recent else 60
            raise refusal(429, f"the API key {key.name!r} is at its {key.rpm} requests per minute", later)
        recent.append(now)


def refusal(status: int, message: str, retry_after: int | None = None) -> Problem:
    """Not let in; a 401 names the scheme, as HTTP wants."""
    return Problem("refused", status, message, retry_after, {"WWW-Authenticate": "Bearer"} if status == 401 else {})
