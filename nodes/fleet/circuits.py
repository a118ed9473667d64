"""Every node:model's circuit, in one process."""

from collections.abc import Callable

from nodes.core.circuit import (
    OPEN,
    Circuit,
    CircuitPolicy,
    admits,
    after_end,
    after_failure,
    after_start,
    state,
)
from nodes.core.values import QueueKey

NONE: frozenset[QueueKey] = frozenset()


class Circuits:
    """Only queues that have failed lately are remembered: the rest are closed and cost a lookup."""

    def __init__(self, clock: Callable[[], float], policy: Callable[[], CircuitPolicy]) -> None:
        self._clock = clock
        self._policy = policy
        self._opened: dict[QueueKey, Circuit] = {}
        self._failing: dict[QueueKey, Circuit] = {}  # closed still, with failures that count

    def is_open(self, queue: QueueKey) -> bool:
        """Suspended, with no trial due yet?"""
        circuit = self._opened.get(queue)
        return circuit is not None and state(circuit, self._clock(), self._policy()) == OPEN

    def is_closed(self, queue: QueueKey) -> bool:
        """Neither suspended nor on trial?"""
        return queue not in self._opened

    def admits(self, queue: QueueKey) -> bool:
        """May another request start here?"""
        circuit = self._opened.get(queue)
        return circuit is None or admits(circuit, self._clock(), self._policy())

    def started(self, queue: QueueKey, ticket: str) -> None:
        """A ticket took a slot."""
        if queue in self._opened:
            self._opened[queue] = after_start(self._opened[queue], ticket)

    def ended(self, queue: QueueKey, ticket: str) -> None:
        """A ticket left."""
        if queue in self._opened:
            self._opened[queue] = after_end(self._opened[queue], ticket)

    def failed(self, queue: QueueKey, stalled: bool) -> bool:
        """One failure more; True if the circuit is open now."""
        before = self._opened.get(queue) or self._failing.pop(queue, Circuit())
        after = after_failure(before, self._clock(), self._policy(), stalled)
        self._forget_past()
        (self._failing if after.opened_at is None else self._opened)[queue] = after
        return self.is_open(queue)

    def succeeded(self, queue: QueueKey) -> bool:
        """It works; True if that closed the circuit."""
        return self._opened.pop(queue, None) is not None

    def unhealthy(self, now: float) -> frozenset[QueueKey]:
        """The queues that would admit nobody now; may be asked from any thread."""
        if not self._opened:
            return NONE
        policy = self._policy()
        return frozenset(key for key, circuit in list(self._opened.items()) if not admits(circuit, now, policy))

    def forget(self, node_id: str) -> None:
        """The node is gone."""
        self._opened = {key: circuit for key, circuit in self._opened.items() if key.node != node_id}
        self._failing = {key: circuit for key, circuit in self._failing.items() if key.node != node_id}

    def _forget_past(self) -> None:
        """Failures that no longer count are no failures."""
        since = self._clock() - self._policy().window
        self._failing = {key: circuit for key, circuit in self._failing.items() if circuit.failures[-1] > since}
