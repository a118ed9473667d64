"""How long each queue's requests took, in one process."""

from collections.abc import Mapping, Sequence
from itertools import islice

from nodes.core.values import Latency, QueueKey
from nodes.core.window import Window


class Latencies:
    """`latest` always agrees with what was observed and may be copied from any thread."""

    def __init__(self) -> None:
        self._windows: dict[QueueKey, Window] = {}
        self._news: dict[QueueKey, None] = {}  # observed and not yet handed out, the longest waiting first
        self.latest: dict[QueueKey, Latency] = {}

    def observe(self, queue: QueueKey, seconds: float) -> None:
        """One more completed request."""
        window = self._windows.get(queue) or self._windows.setdefault(queue, Window())
        window.add(seconds)
        self.latest[queue] = window.latency()
        self._news[queue] = None

    def news(self, most: int) -> dict[QueueKey, tuple[float, ...]]:
        """Of up to `most` queues observed since they were last handed out all that is known, oldest first."""
        queues = list(islice(self._news, most))
        for queue in queues:
            del self._news[queue]
        return {queue: self._windows[queue].durations() for queue in queues}

    def teach(self, durations: Mapping[QueueKey, Sequence[float]]) -> None:
        """Begin with these, except where something is known already: so every process of a fleet may teach it."""
        fresh = {queue: Window(past) for queue, past in durations.items() if past and queue not in self._windows}
        self._windows |= fresh
        self.latest |= {queue: window.latency() for queue, window in fresh.items()}

    def forget(self, node_id: str) -> None:
        """The node is gone."""
        for queue in [queue for queue in self._windows if queue.node == node_id]:
            del self._windows[queue], self.latest[queue]
            self._news.pop(queue, None)
