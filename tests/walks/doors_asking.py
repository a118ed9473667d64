"""A client that keeps its connection: what it asked, what it was told."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.conftest import Router, until

Body = Mapping[str, Any] | list[Any] | str | bytes | Iterator[bytes] | None


@dataclass(frozen=True)
class Reply:
    """One answer, whole; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The error's words, in either dialect."""
        error = self.json()["error"]
        return str(error["message"] if isinstance(error, dict) else error)

    @property
    def decision(self) -> str:
        """The decision's id."""
        return self.headers["x-fleet-decision"]


class Asker:
    """One connection, kept: an answer that spoils it is found out by the next; `always` goes with each request."""

    def __init__(self, url: str, source: str = "127.0.0.1", always: Mapping[str, str] | None = None) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=20, source_address=(source, 0))
        self.always = dict(always or {})

    def ask(self, method: str, path: str, body: Body = None, **headers: str) -> Reply:
        """One request; `x_api_key="k"` is a header; mappings and lists go as JSON, iterators in chunks."""
        content = json.dumps(body) if isinstance(body, Mapping | list) else body
        named = {**self.always, **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.connection.request(method, path, content, named, encode_chunked=isinstance(body, Iterator))
        answer = self.connection.getresponse()
        return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def post(self, path: str, body: Body, **headers: str) -> Reply:
        """A POST."""
        return self.ask("POST", path, body, **headers)

    def get(self, path: str, **headers: str) -> Reply:
        """A GET."""
        return self.ask("GET", path, **headers)

    @property
    def port(self) -> int:
        """The connection's own port: the same as long as it is kept."""
        return int(self.connection.sock.getsockname()[1])


@contextmanager
def asking(router: Router, source: str = "127.0.0.1", **always: str) -> Iterator[Asker]:
    """A client of this router at this address of this machine, as long as the block."""
    asker = Asker(router.url, source, {name.replace("_", "-"): value for name, value in always.items()})
    try:
        yield asker
    finally:
        asker.connection.close()


def raw(router: Router, request: bytes, leaves: bool = False) -> bytes:
    """What the server answers to these very bytes until it closes; `leaves`: the client says that no more will come."""
    address = urlsplit(router.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as connection:
        connection.sendall(request)
        if leaves:
            connection.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


def add(router: Router, *nodes: tuple[str, str, str], silent: int = 0) -> None:
    """Nodes (name, URL, engine), put in by one command; the router reaches all of them but so many."""
    lines = "; ".join(f"roster.add({name!r}, {url!r}, {engine!r})" for name, url, engine in nodes)
    router.manage("shell", "--no-imports", "--command", f"from nodes import roster; {lines}")
    until(lambda: sum(bool(node["reachable"]) for node in results(router, "nodes")) == len(nodes) - silent)


def results(router: Router, path: str) -> list[Any]:
    """The results of a list of the control API."""
    answer = router.get(f"/fleet/api/v1/{path}")
    assert isinstance(answer, dict)
    return list(answer["results"])


def decision(router: Router, number: str) -> dict[str, Any]:
    """One decision, once it has ended."""
    found: dict[str, Any] = {}

    def ended() -> bool:
        answer = router.get(f"/fleet/api/v1/decisions/{number}")
        assert isinstance(answer, dict)
        found.update(answer)
        return found["outcome"] is not None

    until(ended)
    return found
