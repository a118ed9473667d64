"""Answers byte for byte, and their shapes."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from nodes.simulated import SimulatedNode

HELLO = [{"role": "user", "content": "Hello"}]
WEATHER = [{"role": "user", "content": "What is the weather in Berlin?"}]
WEATHER_TOOL = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@dataclass(frozen=True)
class Raw:
    """An answer as it came over the socket."""

    status: str
    headers: dict[str, str]
    body: bytes  # with its chunk sizes, if chunked

    @property
    def chunks(self) -> list[bytes]:
        """The chunks, without the terminating one."""
        rest, found = self.body, []
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            found.append(rest[: int(size, 16)])
            rest = rest[int(size, 16) + 2 :]
        return [chunk for chunk in found if chunk]

    @property
    def ended(self) -> bool:
        """Did the terminating chunk come?"""
        return self.body.endswith(b"0\r\n\r\n")

    @property
    def text(self) -> bytes:
        """The body without its chunk sizes."""
        return b"".join(self.chunks) if self.headers.get("Transfer-Encoding") == "chunked" else self.body

    def json(self) -> Any:
        """The whole body as JSON."""
        return json.loads(self.text)

    def lines(self) -> list[Any]:
        """A JSON value a line."""
        return [json.loads(line) for line in self.text.splitlines()]

    def events(self) -> list[Any]:
        """The data of each event; `[DONE]` stays a text."""
        data = [event.removeprefix(b"data: ") for event in self.text.split(b"\n\n") if event]
        return [value.decode() if value == b"[DONE]" else json.loads(value) for value in data]


async def raw(
    node: SimulatedNode, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> Raw:
    """One request on a connection of its own, up to the end of that connection."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    all_headers = {"Host": "localhost", "Connection": "close", "Content-Length": str(len(data))} | (headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + data)
    answered = await reader.read()
    writer.close()
    top, _, rest = answered.partition(b"\r\n\r\n")
    status, *lines = top.decode().split("\r\n")
    return Raw(status.removeprefix("HTTP/1.1 "), dict(line.split(": ", 1) for line in lines if ": " in line), rest)


def shape(value: Any) -> Any:
    """Keys in their order and types, without the values."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def same_shape(ours: Any, recorded: str) -> bool:
    """Has our JSON the keys, in their order, and the types of the recorded one?"""
    return json.dumps(shape(ours)) == json.dumps(shape(json.loads(recorded)))
