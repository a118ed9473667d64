"""Refusals are recorded ten a second for each address, and counted beyond (spec §3)."""

from nodes.lib.live import current
from routing.core.parameters import RecordPolicy

MOST_ADDRESSES = 10_000
_seen: dict[str, tuple[int, int]] = {}  # address → (second, refusals in it)
unrecorded = 0


def worth_recording(address: str, now: float) -> bool:
    """Is this refusal among the first of its second?"""
    global unrecorded
    second = int(now)
    before = _seen.get(address, (second, 0))
    count = before[1] + 1 if before[0] == second else 1
    if len(_seen) >= MOST_ADDRESSES:
        _seen.clear()
    _seen[address] = (second, count)
    kept = count <= current(RecordPolicy).refusals_per_second
    unrecorded += not kept
    return kept
