"""Requests as the live dashboard follows them, from the moment at which somebody watches."""

from collections.abc import Mapping
from heapq import nlargest
from typing import Any

from fleetsite.dashboards.presenters import line, stored_line
from fleetsite.dashboards.tiles import Tally, ended
from nodes.core.values import QueueKey
from routing.notebook import Notebook, Trace
from routing.recorder import Trace as Running
from routing.rows import COLUMNS

Row = dict[str, Any]
MOST_LINES = 50  # what the table shows: of more in one tick only the newest are drawn
SEEN = (*(name for name in COLUMNS if name not in ("candidates", "eliminated", "eliminated_counts", "attempts")),)


class Following:
    """What runs now and what has changed since it was last asked; feeds the tally with what ends."""

    def __init__(self, notebook: Notebook, tally: Tally) -> None:
        self._notebook = notebook
        self._tally = tally
        self._running: dict[str, Running] = {}
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._changed: dict[str, Trace] = {}
        self._lines: dict[str, Row] = {}

    def start(self) -> None:
        """Follow what runs, and hear of what comes."""
        for trace in self._notebook.live():
            self._follow(trace)
        self._notebook.listeners.append(self._hear)

    def stop(self) -> None:
        """Hear no more."""
        self._notebook.listeners.remove(self._hear)

    def loading(self) -> frozenset[QueueKey]:
        """The models that engines load for requests now."""
        loads = (t for t in self._running.values() if stage(t) == "loading")
        return frozenset(QueueKey(t.node_id, t.served_model) for t in loads)

    def changed(self) -> list[Row]:
        """The lines that differ from when this was last called, the newest first."""
        for trace in self._running.values():
            if self._drawn.get(trace.id) != (standing := _standing(trace)):
                self._drawn[trace.id] = standing
                self._changed[trace.id] = trace
        newest = nlargest(MOST_LINES, self._changed)
        lines = {decision: line_of(self._changed[decision]) for decision in newest}
        merged, self._changed = self._lines | lines, {}
        self._lines = {decision: merged[decision] for decision in nlargest(MOST_LINES, merged)}
        return [*lines.values()]

    def lines(self) -> list[Row]:
        """The lines of all that was noted since this follows, the newest first."""
        return [*self._lines.values()]

    def _hear(self, trace: Trace) -> None:
        self._follow(trace)
        if trace.done:
            self._tally.add(ended(trace.row()))

    def _follow(self, trace: Trace) -> None:
        if not trace.done and isinstance(trace, Running):
            self._running[trace.id] = trace
        else:
            self._running.pop(trace.id, None)
            self._drawn.pop(trace.id, None)
            self._changed[trace.id] = trace


def line_of(trace: Trace) -> Row:
    """The line of a request, while it runs and after."""
    if not isinstance(trace, Running):
        return stored_line(trace.row())
    columns: Mapping[str, Any] = {name: COLUMNS[name](trace) for name in SEEN}
    return line(columns, dict(trace.winner.signals) if trace.winner else None, None if trace.done else stage(trace))


def stage(trace: Running) -> str:
    """Where a running request stands: a key of `words.STAGES`."""
    if trace.ranking is None:
        return "routing"
    if trace.waiting:
        return "waiting" if trace.ranking.ranked else "held"
    return "loading" if trace.cold and not trace.first_at else "running"


def _standing(trace: Running) -> tuple[object, ...]:
    """What makes a running request's line differ."""
    return stage(trace), trace.node, trace.tried, trace.moves, bool(trace.first_at)
