"""The durations of one queue's last requests, and the percentile that estimates its wait."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Sequence

from nodes.core.values import Latency

SAMPLES = 500


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value at index ⌊share × n⌋ of a sorted sample; IndexError when empty."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


class Window:
    """The last 500 durations, seconds; adding one costs a search, not a sort."""

    __slots__ = ("_recent", "_sorted")

    def __init__(self, durations: Iterable[float] = ()) -> None:
        self._recent = deque(durations, maxlen=SAMPLES)
        self._sorted = sorted(self._recent)

    def add(self, seconds: float) -> None:
        """One more; beyond 500 the oldest is forgotten."""
        if len(self._recent) == SAMPLES:
            del self._sorted[bisect_left(self._sorted, self._recent[0])]
        self._recent.append(seconds)
        insort(self._sorted, seconds)

    def durations(self) -> tuple[float, ...]:
        """All of them, oldest first."""
        return tuple(self._recent)

    def latency(self) -> Latency:
        """The value at index ⌊0.75 n⌋ of the sorted sample, in milliseconds, and n; IndexError when empty."""
        return Latency(percentile(self._sorted, 0.75) * 1000, len(self._sorted))
