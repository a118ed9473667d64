"""What operators read in the log of requests: one line an event, of each kind a few a minute, never a prompt."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routing.recorder import Trace

log = logging.getLogger(__name__)
MINUTE = 60.0  # seconds
LONGEST = 300  # characters of a reason


class Bound:
    """So many lines a minute; what is left out is counted, and told with the next line."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._since = float("-inf")
        self._lines = self._left_out = 0

    def turn(self, now: float) -> int | None:
        """None: leave this line out; else write it, and say that so many were left out before."""
        if now - self._since >= MINUTE:
            self._since, self._lines = now, 0
        if self._lines >= self._most:
            self._left_out += 1
            return None
        self._lines += 1
        left_out, self._left_out = self._left_out, 0
        return left_out


def bounds() -> dict[str, Bound]:
    """One for each kind of event that is told; a request with any other outcome is no event."""
    return {kind: Bound(most) for kind, most in MOST.items()}


def tried(trace: Trace) -> None:
    """An engine was asked and failed: where, and why."""
    last = trace.attempts[-1]
    _say("tried", "decision %s: node %s failed for %s: %s", trace.id, last["node"], trace.served_model, last["error"])


def ended(trace: Trace) -> None:
    """How a request came out, if an operator should know."""
    if trace.outcome == "refused":
        refused(trace.client, trace.path, trace.status, trace.reason)
    elif trace.outcome in BOUNDS:
        model = trace.request.asked if trace.request else ""
        words = "decision %s: %s with status %s, for %s of %s: %s"
        _say(trace.outcome, words, trace.id, trace.outcome, trace.status, model, trace.client, trace.reason)


def refused(client: str, path: str, status: int | None, reason: str) -> None:
    """Somebody was not let in."""
    _say("refused", "refused %s of %s with status %s: %s", path, client, status, reason)


def suspended(node: str, model: str) -> None:
    """A circuit has opened."""
    _say("suspended", "node %s: suspended for %s after failures; a trial follows", node, model)


def restored(node: str, model: str) -> None:
    """A circuit has closed."""
    _say("restored", "node %s: serves %s again", node, model)


def _say(kind: str, words: str, *values: object) -> None:
    left_out = BOUNDS[kind].turn(time.monotonic())
    if left_out is not None:
        more = f" ({left_out} more like it were not logged)" if left_out else ""
        log.warning(words + more, *(str(value)[:LONGEST] for value in values))


MOST: Mapping[str, int] = {
    "tried": 10,
    "upstream_failed": 10,
    "timed_out": 10,
    "hold_expired": 10,
    "queue_full": 10,
    "refused": 1,
    "suspended": 10,
    "restored": 10,
}
BOUNDS = bounds()
