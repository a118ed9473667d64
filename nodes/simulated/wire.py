"""JSON as Go writes it, and answers whose headers go out with their first byte."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
from aiohttp import web

BUFFERED = 2048  # bytes that Go's server holds back; a longer answer goes out chunked
NDJSON, JSON, JSON_UTF8 = "application/x-ndjson", "application/json", "application/json; charset=utf-8"
EVENTS = "text/event-stream"
ESCAPES = ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026"))
GB = 10**9


def go_json(value: Any) -> bytes:
    """Compact JSON; angle brackets and ampersands are escaped, as Go does."""
    text = orjson.dumps(value)
    for plain, escaped in ESCAPES:
        text = text.replace(plain, escaped)
    return text


def go_time(ns: int) -> str:
    """Nanoseconds since the epoch → RFC 3339 in UTC, no trailing zeros."""
    seconds, rest = divmod(ns, GB)
    whole = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".") + "Z"


def event(value: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + go_json(value) + b"\n\n"


def named_event(value: Mapping[str, Any]) -> bytes:
    """One server-sent event that has its type as its name."""
    return b"event: " + str(value["type"]).encode() + b"\n" + event(value)


async def send(request: web.Request, body: bytes, content_type: str, status: int = 200) -> web.StreamResponse:
    """A whole answer: with its length if it is short, chunked if it is not."""
    if len(body) <= BUFFERED:
        return web.Response(body=body, status=status, headers={"Content-Type": content_type})
    stream = Stream(request, content_type)
    await stream.write(body)
    return await stream.end()


class Stream:
    """A chunked answer that says nothing, not even its status, before its first bytes."""

    def __init__(self, request: web.Request, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        self._request = request
        self._response = web.StreamResponse(headers={"Content-Type": content_type, **(headers or {})})
        self._response.enable_chunked_encoding()

    @property
    def begun(self) -> bool:
        """Can the status no longer be changed?"""
        return self._response.prepared

    async def write(self, chunk: bytes) -> None:
        """One chunk on the wire."""
        if not self.begun:
            await self._response.prepare(self._request)
        await self._response.write(chunk)

    async def end(self) -> web.StreamResponse:
        """The terminating chunk."""
        if not self.begun:
            await self._response.prepare(self._request)
        await self._response.write_eof()
        return self._response
