"""Refusals are recorded ten a second for each address, and counted beyond (spec §3)."""

import logging

from nodes.lib.live import current
from routing.core.parameters import RecordPolicy

log = logging.getLogger(__name__)
MOST_ADDRESSES = 10_000
TELL_EVERY = 60.0  # seconds between two lines of the log
_seen: dict[str, tuple[int, int]] = {}  # address → (second, refusals in it)
_unrecorded = 0
_told_at = float("-inf")


def worth_recording(address: str, now: float) -> bool:
    """Is this refusal among the first of its second?"""
    second = int(now)
    before = _seen.get(address, (second, 0))
    count = before[1] + 1 if before[0] == second else 1
    if len(_seen) >= MOST_ADDRESSES:
        _seen.clear()
    _seen[address] = (second, count)
    kept = count <= current(RecordPolicy).refusals_per_second
    if not kept:
        _count(now)
    return kept


def _count(now: float) -> None:
    """One that is not recorded; the log tells how many, once a minute."""
    global _unrecorded, _told_at
    _unrecorded += 1
    if now - _told_at >= TELL_EVERY:
        _told_at = now
        words = "refusals beyond %d a second for each address are not recorded: %d so far"
        log.warning(words, current(RecordPolicy).refusals_per_second, _unrecorded)
