"""Lines and server-sent events, both ways, whatever pieces the bytes come in."""

from typing import Any

import orjson


class Lines:
    """Whole lines out of pieces, without their ends."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return [line.removesuffix(b"\r") for line in lines]

    def end(self) -> list[bytes]:
        """What was left without an end of line."""
        rest, self._rest = self._rest, b""
        return [rest.removesuffix(b"\r")] if rest else []


class ServerSent:
    """The data of server-sent events out of pieces; comments and other fields are passed over."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes."""
        return [data for line in self._lines.feed(piece) for data in self._line(line)]

    def end(self) -> list[bytes]:
        """The data of an event that no empty line closed."""
        return [data for line in [*self._lines.end(), b""] for data in self._line(line)]

    def _line(self, line: bytes) -> list[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        if line or not self._data:
            return []
        data, self._data = b"\n".join(self._data), []
        return [data]


def data(payload: Any) -> bytes:
    """One event without a name."""
    return b"data: " + orjson.dumps(payload) + b"\n\n"


def named(payload: dict[str, Any]) -> bytes:
    """One event, named by its own `type`."""
    return b"event: " + str(payload["type"]).encode() + b"\n" + data(payload)
