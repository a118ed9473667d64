"""What was broadcast lately, as node cards show it: models that are being loaded, requests that were moved."""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

from nodes.core.values import QueueKey

REMEMBER = 60.0  # seconds that a move is shown


class Happenings:
    """Hears what is broadcast; forgets by itself."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._loading: set[QueueKey] = set()
        self._moves: deque[tuple[float, QueueKey, int]] = deque(maxlen=1000)
        self._topics: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "load_began": lambda said: self._loading.add(QueueKey(said["node"], said["model"])),
            "load_ended": lambda said: self._loading.discard(QueueKey(said["node"], said["model"])),
            "moved": self._moved,
        }

    @property
    def loading(self) -> frozenset[QueueKey]:
        """The models that are being loaded ahead of need."""
        return frozenset(self._loading)

    def hear(self, topic: str, said: Mapping[str, Any]) -> None:
        """Take note; topics of others are passed over."""
        if topic in self._topics:
            self._topics[topic](said)

    def moved(self) -> Mapping[QueueKey, int]:
        """How many waiting requests came to a queue lately; below 0, how many left it."""
        while self._moves and not 0 <= self._clock() - self._moves[0][0] < REMEMBER:
            self._moves.popleft()
        count: Counter[QueueKey] = Counter()
        for _, queue, moved in self._moves:
            count[queue] += moved
        return count

    def _moved(self, said: Mapping[str, Any]) -> None:
        now = self._clock()
        self._moves.append((now, QueueKey(*said["target"]), said["count"]))
        self._moves.append((now, QueueKey(*said["source"]), -said["count"]))
