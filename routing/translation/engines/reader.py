"""An engine's stream in pieces → events: what is the same for all engines."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import orjson

from routing.translation.events import Broken, Ended, Event, Started
from routing.translation.lines import Lines, ServerSent

NO_END = "the engine ended the answer without its terminal line"
NO_JSON = "the engine sent a line that is no JSON of the form it is known for"


class Reader(ABC):
    """Events as the bytes come, however they are cut; the last is Ended or Broken.

    An answer that broke before its first piece has no Started: another node may still give it.
    """

    def __init__(self, lines: Lines | ServerSent) -> None:
        self._lines = lines
        self.over = False  # has the last event been told?
        self._started = False
        self._ids = {""}

    def feed(self, piece: bytes) -> list[Event]:
        """The events that this piece completes."""
        return self._read(self._lines.feed(piece))

    def end(self) -> list[Event]:
        """What was left; Broken, if the engine's terminal line has not come."""
        events = self._read(self._lines.end())
        if self.over:
            return events
        self.over = True
        return [*events, Broken(NO_END)]

    def _read(self, payloads: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for event in (event for payload in payloads if payload.strip() for event in self._checked(payload)):
            if self.over:
                break
            self.over = isinstance(event, Ended | Broken)
            if not self._started and not isinstance(event, Broken):
                self._started = True
                events.append(Started())
            events.append(event)
        return events

    def _checked(self, payload: bytes) -> Iterator[Event]:
        try:
            yield from self._events(payload)
        except (orjson.JSONDecodeError, AttributeError, TypeError, KeyError):  # no JSON, or other values than expected
            yield Broken(NO_JSON)

    def _fresh(self, id: str) -> str:
        """An engine's id of a call, unless it has used it before."""
        kept = "" if id in self._ids else id
        self._ids.add(id)
        return kept

    @abstractmethod
    def _events(self, payload: bytes) -> Iterator[Event]:
        """The events of one payload; raises where it is no JSON, or another than expected."""


def error_words(error: Any) -> str:
    """What an engine says went wrong, whatever form its error has."""
    said = error.get("message") if isinstance(error, dict) else error
    return str(said or error)


def words_of(body: bytes) -> str:
    """What the body of an engine's refusal says."""
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:500].decode("utf-8", "replace")
    return error_words(said.get("error") or said) if isinstance(said, dict) else str(said)
