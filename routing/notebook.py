"""What has been noted of requests and is not in the database yet. In memory and bounded; knows no database."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import orjson

log = logging.getLogger(__name__)
Row = Mapping[str, object]
BATCH = 500  # rows in one transaction
MOST = 100_000_000  # bytes of rows kept while the database takes none
HEAVY = frozenset({"candidates", "eliminated"})
ROW, ENTRY = 1000, 1000  # bytes of a row without its texts and lists, of one entry of these


class Trace(Protocol):
    """One request as it is being recorded."""

    @property
    def id(self) -> str: ...

    @property
    def done(self) -> bool: ...

    def row(self) -> Row:
        """The columns of its decision as they are now."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A trace as it was when it ended or was taken to be written; it holds no request any more."""

    id: str
    done: bool
    columns: Row  # lists of HEAVY packed as JSON: a sixth of what they take as objects
    size: int

    def row(self) -> Row:
        return {
            name: orjson.loads(value) if isinstance(value, bytes) else value for name, value in self.columns.items()
        }


def size(columns: Row) -> int:
    """Bytes that a row takes in memory, about: measured on rows of 1 to 300 nodes, and cheap for every request."""
    sized = (value for value in columns.values() if isinstance(value, Sized))
    return ROW + sum(len(value) * (1 if isinstance(value, str | bytes) else ENTRY) for value in sized)


def packed(value: object) -> bytes:
    """A column's JSON."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _plain(value: object) -> object:
    """What orjson does not know by itself: any mapping is an object, any collection a list, the rest a text."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Iterable) else str(value)


def _nobody() -> None:
    return None


class Notebook:
    """Traces on their way to the database, oldest first. The serving loop writes and lists; any thread may find."""

    def __init__(self, most: int = MOST) -> None:
        self.dropped = 0
        self.on_full: Callable[[], None] = _nobody  # called when a whole batch waits
        self.listeners: list[Callable[[Trace], None]] = []  # hear of each trace as it is noted, in the serving loop
        self._most = most
        self._bytes = 0  # of what is frozen and waits
        self._running: dict[str, Trace] = {}
        self._waiting: OrderedDict[str, Trace] = OrderedDict()
        self._leaving: dict[str, Noted] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def note(self, trace: Trace) -> None:
        """Write this trace down with the next batch: when it was routed, when an engine is asked, when it has ended.

        Never raises: a request does not fail for its record's sake.
        """
        noted: Trace | None = trace
        if not trace.done:
            self._running[trace.id] = trace
            self._wait(trace)
        else:
            if noted := self._frozen(trace):
                self._wait(noted)
            self._running.pop(trace.id, None)
        if self.listeners and noted:
            self._tell(noted)
        self._keep_bound()
        if len(self._waiting) >= BATCH:
            self.on_full()

    def find(self, trace_id: str) -> Trace | None:
        """The trace with this id, if it runs or is not in the database yet."""
        return self._running.get(trace_id) or self._waiting.get(trace_id) or self._leaving.get(trace_id)

    def live(self) -> list[Trace]:
        """Every trace that runs or is not in the database yet."""
        return list({**self._leaving, **self._waiting, **self._running}.values())

    def take(self, limit: int = BATCH) -> list[Noted]:
        """Up to `limit` of the oldest, frozen; until `written` or `put_back` they can still be found here."""
        oldest = list(islice(self._waiting.values(), limit))
        batch = [noted for trace in oldest if (noted := self._frozen(trace))]
        self._leaving = {noted.id: noted for noted in batch}
        for trace in oldest:  # the last step: another thread finds each trace all the while
            self._wait_no_more(trace.id)
        return batch

    def written(self) -> None:
        """What was taken is in the database."""
        self._leaving = {}

    def put_back(self, batch: Sequence[Noted]) -> None:
        """What was taken is not in the database: it waits first in line, unless it was noted anew meanwhile."""
        for noted in reversed(batch):
            if noted.id not in self._waiting:
                self._wait(noted)
            self._waiting.move_to_end(noted.id, last=False)
        self._leaving = {}
        self._keep_bound()

    def _tell(self, noted: Trace) -> None:
        for listener in self.listeners:
            try:
                listener(noted)
            except Exception:
                log.exception("a listener failed at decision %s", noted.id)

    def _keep_bound(self) -> None:
        while self._bytes > self._most and (oldest := _first_done(self._waiting.values())):
            self._wait_no_more(oldest.id)
            self.dropped += 1

    def _wait(self, trace: Trace) -> None:
        before = self._waiting.get(trace.id)
        self._waiting[trace.id] = trace
        self._bytes += _held(trace) - _held(before)

    def _wait_no_more(self, trace_id: str) -> None:
        self._bytes -= _held(self._waiting.pop(trace_id))

    def _frozen(self, trace: Trace) -> Noted | None:
        try:
            return trace if isinstance(trace, Noted) else _noted(trace, trace.row())
        except Exception:
            log.exception("decision %s can't be recorded and is lost", trace.id)
            self.dropped += 1
            return None


def _noted(trace: Trace, columns: Row) -> Noted:
    light = {name: packed(value) if name in HEAVY and value else value for name, value in columns.items()}
    return Noted(trace.id, trace.done, light, size(light))


def _held(trace: Trace | None) -> int:
    """Bytes that are held only for the database's sake: what runs is in memory anyway."""
    return trace.size if isinstance(trace, Noted) else 0


def _first_done(traces: Iterable[Trace]) -> Trace | None:
    return next((trace for trace in traces if trace.done), None)


notebook = Notebook()
