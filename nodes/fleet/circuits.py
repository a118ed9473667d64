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
    after_success,
    state,
)
from nodes.core.values import QueueKey

NONE: frozenset[QueueKey] = frozenset()


class Circuits:
    """Only queues that have failed are remembered: the rest are closed and cost a lookup."""

    def __init__(self, clock: Callable[[], float], policy: Callable[[], CircuitPolicy]) -> None:
        self._clock = clock
        self._policy = policy
        self._circuits: dict[QueueKey, Circuit] = {}

    def is_open(self, queue: QueueKey) -> bool:
        """Suspended, with no trial due yet?"""
        circuit = self._circuits.get(queue)
        return circuit is not None and state(circuit, self._clock(), self._policy()) == OPEN

    def is_closed(self, queue: QueueKey) -> bool:
        """Neither suspended nor on trial?"""
        circuit = self._circuits.get(queue)
        return circuit is None or circuit.opened_at is None

    def admits(self, queue: QueueKey) -> bool:
        """May another request start here?"""
        circuit = self._circuits.get(queue)
        return circuit is None or admits(circuit, self._clock(), self._policy())

    def started(self, queue: QueueKey, ticket: str) -> None:
        """A ticket took a slot."""
        if queue in self._circuits:
            self._circuits[queue] = after_start(self._circuits[queue], ticket)

    def ended(self, queue: QueueKey, ticket: str) -> None:
        """A ticket left."""
        if queue in self._circuits:
            self._circuits[queue] = after_end(self._circuits[queue], ticket)

    def failed(self, queue: QueueKey, stalled: bool) -> bool:
        """One failure more; True if the circuit is open now."""
        before = self._circuits.get(queue, Circuit())
        self._circuits[queue] = after_failure(before, self._clock(), self._policy(), stalled)
        return self.is_open(queue)

    def succeeded(self, queue: QueueKey) -> bool:
        """It works; True if that closed the circuit."""
        if self.is_closed(queue):
            return False
        self._circuits[queue] = after_success(self._circuits[queue])
        return True

    def unhealthy(self, now: float) -> frozenset[QueueKey]:
        """The queues that would admit nobody now; may be asked from any thread."""
        if not self._circuits:
            return NONE
        policy = self._policy()
        return frozenset(key for key, circuit in list(self._circuits.items()) if not admits(circuit, now, policy))

    def forget(self, node_id: str) -> None:
        """The node is gone."""
        self._circuits = {key: circuit for key, circuit in self._circuits.items() if key.node != node_id}
