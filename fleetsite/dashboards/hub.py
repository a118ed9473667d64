"""Draws the live picture once a tick for all dashboards of this process, and only while one is open."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from fleetsite.dashboards.happenings import Happenings
from fleetsite.dashboards.presenters import Scene, cards
from fleetsite.dashboards.seat import Seat
from fleetsite.dashboards.tiles import SHARE_SECONDS, Ended, Tally, ended
from fleetsite.dashboards.traces import Following
from nodes.fleet import get_fleet
from nodes.lib.background import behind
from nodes.lib.broadcast import listen
from nodes.lib.live import current
from routing import decisions
from routing.core.parameters import QueuePolicy, ScoringWeights
from routing.notebook import Notebook, notebook

log = logging.getLogger(__name__)
TICK = 0.25  # seconds: at most four messages a second
TILES_EVERY = 1.0  # seconds; also how often at least something is said, so that a page knows that it is live
RECALLED = 300  # decisions read back when the first dashboard opens
Row = dict[str, Any]


class Hub:
    """Readers join and leave; the first one starts the drawing, the last one ends it."""

    def __init__(self, notes: Notebook = notebook, clock: Callable[[], float] = time.time) -> None:
        self._notes = notes
        self._clock = clock
        self._seats: set[Seat] = set()
        self._drawing: Drawing | None = None

    def __len__(self) -> int:
        return len(self._seats)

    def join(self) -> Seat:
        """A place for one more reader."""
        if self._drawing is None:
            self._drawing = Drawing(self._notes, self._clock, self._tell)
        seat = Seat(self._drawing.whole)
        self._seats.add(seat)
        return seat

    def leave(self, seat: Seat) -> None:
        """A reader is gone."""
        self._seats.discard(seat)
        if not self._seats and self._drawing is not None:
            self._drawing.stop()
            self._drawing = None

    def _tell(self, change: str) -> None:
        for seat in self._seats:
            seat.offer(change)


class Drawing:
    """The picture as it was last drawn, and what is told of each change of it."""

    def __init__(self, notes: Notebook, clock: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._clock, self._tell = clock, tell
        now = clock()
        self._tally = Tally(since=now)
        self._following = Following(notes, self._tally)
        self._happenings = Happenings(clock)
        self._following.start()
        self._number, self._tiles_at = 0, now
        self._tiles = self._tally.tiles(get_fleet().snapshot(), now)
        self._cards = self._draw_cards()
        self._whole: str | None = None
        works = (self._tick(), listen(self._happenings.hear), self._recall(now))
        self._work = [asyncio.create_task(work) for work in works]

    def whole(self) -> str:
        """The whole picture, drawn once a tick for all who need it."""
        if self._whole is None:
            nodes, lines = [*self._cards.values()], self._following.lines()
            self._whole = self._message("picture", tiles=self._tiles, nodes=nodes, decisions=lines)
        return self._whole

    def stop(self) -> None:
        """Nobody looks any more."""
        self._following.stop()
        for task in self._work:
            task.cancel()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            try:
                self._draw()
            except Exception:
                log.exception("the live dashboard could not be drawn; it is tried again")

    def _draw(self) -> None:
        """Tell what has changed; another set of nodes is another picture."""
        before, self._cards = self._cards, self._draw_cards()
        changes = self._changes(before)
        if changes or [*before] != [*self._cards]:
            self._number, self._whole = self._number + 1, None
            same = [*before] == [*self._cards]
            self._tell(self._message("change", **changes) if same else self.whole())

    def _changes(self, before: Mapping[str, Row]) -> Row:
        parts = {
            "nodes": [card for node, card in self._cards.items() if before.get(node) != card],
            "decisions": self._following.changed(),
            "tiles": self._new_tiles(),
        }
        return {name: part for name, part in parts.items() if part}

    def _new_tiles(self) -> Row | None:
        now = self._clock()
        if 0 <= now - self._tiles_at < TILES_EVERY:
            return None
        self._tiles_at, self._tiles = now, self._tally.tiles(get_fleet().snapshot(), now)
        return self._tiles

    def _draw_cards(self) -> dict[str, Row]:
        loading = self._following.loading() | self._happenings.loading
        warm = current(ScoringWeights).warm_seconds
        fleet = get_fleet().snapshot()
        return cards(Scene(fleet, current(QueuePolicy), warm, loading, self._happenings.moved()))

    def _message(self, kind: str, **parts: Any) -> str:
        return orjson.dumps({"kind": kind, "number": self._number, "now": self._clock(), **parts}).decode()

    async def _recall(self, began: float) -> None:
        """What ended shortly before anybody looked; without it the figures fill up by themselves."""
        try:
            earlier, since = await behind(_ended_since, began - SHARE_SECONDS)
        except Exception:
            log.exception("earlier decisions can't be read; the dashboard's figures begin now")
        else:
            self._tally.recall([one for one in earlier if one.at < began], since)


def _ended_since(since: float) -> tuple[list[Ended], float]:
    """The newest that ended since then, and from when on none is missing."""
    rows, more = decisions.page(decisions.Wanted(RECALLED, datetime.fromtimestamp(since, UTC)))
    found = [ended(row) for row in rows if row["outcome"]]
    return found, more.at.timestamp() if more else since


hub = Hub()
