"""One request to the data plane in this process, without a socket."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from routing.endpoints import data_plane

HEADERS = ((b"host", b"localhost"), (b"content-type", b"application/json"))


@dataclass(frozen=True, slots=True)
class Reply:
    """What the client got."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes

    @property
    def decision(self) -> str:
        """The id of its decision."""
        return self.headers[b"x-fleet-decision"].decode()


async def ask(
    path: str,
    body: bytes | dict[str, object] = b"",
    method: str = "POST",
    headers: Sequence[tuple[bytes, bytes]] = (),
    leaves: asyncio.Event | None = None,
) -> Reply | None:
    """The reply to one request, None if there was none; `leaves`: then the client hangs up."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    incoming = [{"type": "http.request", "body": content, "more_body": False}]
    sent: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        if incoming:
            return incoming.pop()
        await (leaves or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message)

    scope = {"type": "http", "path": path, "method": method, "client": ("127.0.0.1", 1), "query_string": b""}
    await data_plane(scope | {"headers": [*HEADERS, *headers]}, receive, send)
    if not sent:
        return None
    pieces = b"".join(bytes(m.get("body", b"")) for m in sent[1:])  # type: ignore[call-overload]
    return Reply(int(str(sent[0]["status"])), dict(sent[0]["headers"]), pieces)  # type: ignore[call-overload]
