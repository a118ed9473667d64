"""The fleet's live state: what every adapter promises.

Soft state: losing it costs warmth, never an answer. *Stale to score, exact to admit*: `snapshot` may be a little
old, `turn`, `move` and `leave` are atomic. A waiting request is a ticket here, not an item in some coroutine's
queue: so it can be moved while another process holds its socket. Losing a race is an answer, not an error.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from nodes.core.values import FleetSnapshot, NodeSnapshot, Pin, QueueKey, Standing, Ticket


class FleetState(Protocol):
    """Nodes, queues, held requests, latencies, circuits, session pins and leases of one fleet."""

    # What the scorer sees
    def snapshot(self) -> FleetSnapshot:
        """The fleet now, frozen; costs no I/O. In other processes' eyes it may be a little old."""

    def node(self, node_id: str) -> NodeSnapshot | None:
        """One node, as cheaply as it can be had; may be asked from any thread."""

    # Nodes
    async def put_node(self, node: NodeSnapshot) -> None:
        """Set what is known of a node. One that no longer serves (paused, draining, offline, unreachable, pending)
        displaces its waiting tickets; whatever may let a waiting or held ticket go on wakes it.
        A newly resident model counts as used now."""

    async def drop_node(self, node_id: str) -> None:
        """Forget a node: its waiting tickets are displaced, its running ones finish, and teach nothing of it."""

    async def order_nodes(self, ids: Sequence[str]) -> None:
        """The order of enrolment, which breaks the last tie."""

    async def touch(self, node_id: str) -> None:
        """Real traffic came from this node just now: it is alive."""

    # Queues
    async def join(self, ticket: Ticket, queue: QueueKey, limit: int) -> bool:
        """Take a place in a queue, by time of arrival, and mark the node as chosen now. False, and nothing done, if
        `limit` tickets wait there already. A ticket stands in one place: joining leaves the place it had."""

    async def turn(self, ticket_id: str, slots: Callable[[QueueKey], int]) -> Standing:
        """Atomic: `running` if it is this ticket's turn and fewer than `slots(queue)` run there, else `waiting`.
        The queue in the answer is where the ticket stands *now*: a rebalance may have moved it. `displaced` if its
        node was lost, `gone` if it was reaped or never joined. Asking again while running answers `running`."""

    async def news(self, ticket_id: str, timeout: float) -> None:
        """Sleep until this ticket's standing may have changed, or `timeout` seconds. News that came since the
        last call counts: nothing is missed between `turn` and `news`."""

    async def move(self, source: QueueKey, target: QueueKey, count: int, most_moves: int, unmet: frozenset[str]) -> int:
        """Move up to `count` of the longest waiting tickets, none that has been moved `most_moves` times, none that
        needs something in `unmet`; never a running one. They keep their time of arrival. How many moved."""

    async def leave(self, ticket_id: str) -> None:
        """Give back whatever this ticket has: slot, place, hold. Idempotent; always called; wakes who waits."""

    # Held requests
    async def hold(self, ticket: Ticket, models: Sequence[str], limit: int) -> bool:
        """Wait for one of `models` to become servable. When a node that has one of them changed, or a slot of one was
        given back, `news` wakes the longest held of those that wait for the same and need the same (coalesced to
        100 ms), and the next as soon as that one is held no longer. False if `limit` are held already. Holding again
        keeps the place."""

    # What was learned
    async def observe(self, queue: QueueKey, seconds: float) -> None:
        """One completed request: from sending to the engine to its last byte."""

    async def learned(self, most: int) -> Mapping[QueueKey, Sequence[float]]:
        """The last 500 durations, oldest first, of up to `most` queues that were observed since they were last handed
        out here, to be persisted; none when nothing is new."""

    async def teach(self, durations: Mapping[QueueKey, Sequence[float]]) -> None:
        """What an earlier process learned."""

    async def failed(self, queue: QueueKey, stalled: bool = False) -> None:
        """A failure that speaks against this node:model; a stall counts as three."""

    async def succeeded(self, queue: QueueKey) -> None:
        """It works: closes the circuit."""

    async def pin(self, session: str, pin: Pin) -> None:
        """This session's last turn was served there."""

    async def pinned(self, session: str) -> Pin | None:
        """Where this session's last turn was served."""

    # Housekeeping
    async def lease(self, name: str, seconds: float) -> bool:
        """One holder at a time: True if it is ours now."""

    async def release(self, name: str) -> None:
        """Give a lease back early."""

    async def beat(self, owner: str) -> None:
        """This process is alive."""

    async def reap(self, older_than: float) -> int:
        """Drop the tickets of processes that have not beaten for `older_than` seconds; how many there were."""
