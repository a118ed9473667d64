"""The six figures at the top: rates of the last minute, percentiles of the last five; the clock is an argument."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleetsite.dashboards.presenters import winner
from nodes.core.values import FleetSnapshot
from nodes.core.window import percentile

Row = dict[str, Any]
RATE_SECONDS, SHARE_SECONDS = 60.0, 300.0
MOST = 10_000  # requests remembered; a fleet that ends more has its figures of a shorter while


@dataclass(frozen=True, slots=True)
class Ended:
    """What the figures need of one request that ended."""

    at: float
    completed: bool = False
    first_ms: float | None = None
    total_ms: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    hot: bool | None = None  # was the model loaded where it went? None: it went nowhere


def ended(columns: Mapping[str, Any]) -> Ended:
    """One request out of its decision's columns."""
    served, total = winner(columns), columns.get("total_ms")
    return Ended(
        at=columns["at"].timestamp() + (total or 0.0) / 1000,
        completed=columns.get("outcome") == "completed",
        first_ms=columns.get("first_token_ms"),
        total_ms=total,
        tokens_in=columns.get("prompt_tokens") or 0,
        tokens_out=columns.get("completion_tokens") or 0,
        hot=served["inputs"].get("residency") == "hot" if served else None,
    )


class Tally:
    """Requests that ended in the last five minutes. `since`: from when on none is missing."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._ended: deque[Ended] = deque()

    def add(self, one: Ended) -> None:
        """One more."""
        self._ended.append(one)
        if len(self._ended) > MOST:
            self._since = max(self._since, self._ended.popleft().at)

    def recall(self, earlier: Iterable[Ended], since: float) -> None:
        """What ended before it began to count, complete from `since` on."""
        self._ended.extendleft(sorted(earlier, key=lambda one: -one.at))
        self._since = min(self._since, since)

    def tiles(self, fleet: FleetSnapshot, now: float) -> Row:
        """The figures now; null where nothing is known."""
        while self._ended and self._ended[0].at < now - SHARE_SECONDS:
            self._ended.popleft()
        good = [one for one in self._ended if one.completed]
        return self._rates(now) | _now(fleet) | _shares(good)

    def _rates(self, now: float) -> Row:
        span = min(RATE_SECONDS, max(1.0, now - self._since))
        last = [one for one in self._ended if one.at > now - span]
        return {
            "requests": round(len(last) / span, 2),
            "tokens_out": round(sum(one.tokens_out for one in last) / span, 1),
            "tokens_in": round(sum(one.tokens_in for one in last) / span, 1),
        }


def _now(fleet: FleetSnapshot) -> Row:
    depths = fleet.queues.values()
    return {
        "running": sum(depth.in_flight for depth in depths),
        "waiting": sum(depth.pending for depth in depths),
        "held": fleet.held,
    }


def _shares(good: Sequence[Ended]) -> Row:
    first = sorted(one.first_ms for one in good if one.first_ms is not None)
    total = sorted(one.total_ms for one in good if one.total_ms is not None)
    known = [one.hot for one in good if one.hot is not None]
    return {
        "first_ms": _spread(first),
        "total_ms": _spread(total),
        "hot": round(sum(known) / len(known), 4) if known else None,
        "cold": len(known) - sum(known),
    }


def _spread(ordered: Sequence[float]) -> list[float | None]:
    """The 50th and the 95th percentile of a sorted sample; null of an empty one."""
    return [round(percentile(ordered, share), 1) if ordered else None for share in (0.5, 0.95)]
