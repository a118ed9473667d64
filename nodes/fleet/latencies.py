"""How long each queue's requests took, in one process."""

from collections.abc import Mapping, Sequence

from nodes.core.values import Latency, QueueKey
from nodes.core.window import Window


class Latencies:
    """`latest` always agrees with what was observed and may be copied from any thread."""

    def __init__(self) -> None:
        self._windows: dict[QueueKey, Window] = {}
        self.latest: dict[QueueKey, Latency] = {}

    def observe(self, queue: QueueKey, seconds: float) -> None:
        """One more completed request."""
        window = self._windows.get(queue) or self._windows.setdefault(queue, Window())
        window.add(seconds)
        self.latest[queue] = window.latency()

    def durations(self) -> dict[QueueKey, tuple[float, ...]]:
        """All that is known, oldest first."""
        return {queue: window.durations() for queue, window in self._windows.items()}

    def teach(self, durations: Mapping[QueueKey, Sequence[float]]) -> None:
        """Begin with these, except where something is known already: so every process of a fleet may teach it."""
        fresh = {queue: Window(past) for queue, past in durations.items() if past and queue not in self._windows}
        self._windows |= fresh
        self.latest |= {queue: window.latency() for queue, window in fresh.items()}

    def forget(self, node_id: str) -> None:
        """The node is gone."""
        for queue in [queue for queue in self._windows if queue.node == node_id]:
            del self._windows[queue], self.latest[queue]
