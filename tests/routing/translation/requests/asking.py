"""Asking for one thing in one dialect."""

from typing import Any

import orjson

from routing.translation import DIALECTS, TARGETS, Chat, Outgoing


def chat(path: str, **body: Any) -> Chat:
    """The chat in this body."""
    return DIALECTS[path].decode({"model": "m", **body})


def out(engine: str, path: str, **body: Any) -> Outgoing:
    """What an engine is sent for this body."""
    return TARGETS[engine].render(chat(path, **body))


def content(engine: str, path: str, **body: Any) -> dict[str, Any]:
    """The body that an engine is sent."""
    said: dict[str, Any] = orjson.loads(out(engine, path, **body).body)
    return said
