"""An aliased answer: the model's name is the one that was asked for, and not one other byte is changed."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import orjson

from nodes.core.names import DEFAULT_TAG
from nodes.fleet import get_fleet
from routing.core.request import InferenceRequest
from routing.recorder import Trace
from routing.upstreams import Head
from routing.upstreams.outgoing import spelling

KEYS = (b'"model":', b'"model": ', b'"model" : ', b'"model" :')  # as engines write them
Parts = AsyncGenerator[Head | bytes, None]


class Renamer:
    """Replaces the value of `"model"` in JSON where it is one of `old`, however the bytes are cut."""

    def __init__(self, old: frozenset[str], new: str) -> None:
        values = [orjson.dumps(name) for name in sorted(old)]
        self._wanted = [key + value for key in KEYS for value in values]
        self._pattern = re.compile(rb'("model" ?: ?)(?:' + b"|".join(map(re.escape, values)) + rb")")
        self._longest = max(map(len, self._wanted))
        self._new = orjson.dumps(new)
        self._held = b""

    def whole(self, content: bytes) -> bytes:
        """All of an answer at once."""
        return self._pattern.sub(lambda found: found[1] + self._new, content)

    def feed(self, piece: bytes) -> bytes:
        """The next bytes of a stream; what may be the beginning of a name waits for the rest of it."""
        content = self.whole(self._held + piece)
        cut = self._cut(content)
        self._held = content[cut:]
        return content[:cut]

    def rest(self) -> bytes:
        """What still waits at the stream's end."""
        held, self._held = self._held, b""
        return held

    def _cut(self, content: bytes) -> int:
        at = content.find(b'"', max(0, len(content) - self._longest + 1))
        while at >= 0:
            if any(wanted.startswith(content[at:]) for wanted in self._wanted):
                return at
            at = content.find(b'"', at + 1)
        return len(content)


def as_asked(parts: Parts, request: InferenceRequest, trace: Trace) -> Parts:
    """The walk's answer as it is; an aliased one under the name that was asked for."""
    return _renamed(parts, request, trace) if request.aliased else parts


async def _renamed(parts: Parts, request: InferenceRequest, trace: Trace) -> Parts:
    renamer: Renamer | None = None
    async with aclosing(parts):
        async for part in parts:
            renamer = renamer or Renamer(_said(request, trace), request.asked)
            if isinstance(part, Head):
                yield part if part.body is None else replace(part, body=renamer.whole(part.body))
            elif piece := renamer.feed(part):
                yield piece
    if renamer and (rest := renamer.rest()):
        yield rest


def _said(request: InferenceRequest, trace: Trace) -> frozenset[str]:
    """The names under which an engine may speak of the model that answers."""
    model, node = trace.served_model, get_fleet().snapshot().node(trace.node_id)
    told = {spelling(request.asked, node, model)} if node else set()
    return frozenset({model, model.removesuffix(f":{DEFAULT_TAG}")} | told)
