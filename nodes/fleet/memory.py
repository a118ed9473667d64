"""The fleet of one process: plain values in memory, owned by one event loop; no locks, no I/O.

Every method runs to its end without yielding (only `news` sleeps), so each is atomic. `snapshot` and `node` may be
called from any thread: a snapshot copies whole dictionaries, or takes those that are replaced and never changed; what
they hold is frozen.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from nodes.core.circuit import CircuitPolicy
from nodes.core.serving import may_free_requests, serves
from nodes.core.values import FleetSnapshot, NodeSnapshot, Pin, QueueKey, Standing, Ticket
from nodes.fleet.circuits import Circuits
from nodes.fleet.held import HeldRequests
from nodes.fleet.latencies import Latencies
from nodes.fleet.needs import Needs
from nodes.fleet.queues import GONE, HELD, RUNNING, WAITING, Place, Queues
from nodes.fleet.roster import Roster

MOST_PINS = 50_000
TOUCH_SECONDS = 1.0  # traffic is noted no finer than this: the roster is not to be rebuilt for each sign of life
NOWHERE = Standing(GONE)


class MemoryFleet:
    """FleetState for one process. `clock`: epoch seconds; `policy` is asked each time: changes are in force at once."""

    def __init__(
        self, clock: Callable[[], float] = time.time, policy: Callable[[], CircuitPolicy] = CircuitPolicy
    ) -> None:
        self._clock = clock
        self._roster = Roster()
        self._needs = Needs()
        self._queues = Queues()
        self._circuits = Circuits(clock, policy)
        self._held = HeldRequests()
        self._places: dict[str, Place] = {}
        self._sequence = count()
        self._chosen_at: dict[str, float] = {}
        self._used_at: dict[QueueKey, float] = {}
        self._latencies = Latencies()
        self._pins: OrderedDict[str, Pin] = OrderedDict()
        self._leases: dict[str, float] = {}
        self._beats: dict[str, float] = {}

    def snapshot(self) -> FleetSnapshot:
        now = self._clock()
        return FleetSnapshot(
            now,
            self._roster.nodes,
            self._queues.depths.copy(),
            self._latencies.latest.copy(),
            self._needs.gb,
            self._chosen_at.copy(),
            self._used_at.copy(),
            self._circuits.unhealthy(now),
            len(self._held),
        )

    def node(self, node_id: str) -> NodeSnapshot | None:
        return self._roster.get(node_id)

    # Nodes
    async def put_node(self, node: NodeSnapshot) -> None:
        before = self._roster.get(node.id)
        self._roster.put(node)
        measured = self._needs.measure(node)
        self._note_loads(before, node)
        if not serves(node):
            self._displace(node.id)
        self._queues.ring(node.id, measured)
        if may_free_requests(before, node):
            self._stir(before, node)

    async def drop_node(self, node_id: str) -> None:
        gone = self._roster.drop(node_id)
        measured = self._needs.forget(node_id)
        self._displace(node_id)
        self._queues.ring(node_id, measured)
        self._circuits.forget(node_id)
        self._chosen_at.pop(node_id, None)
        self._latencies.forget(node_id)
        self._used_at = {queue: at for queue, at in self._used_at.items() if queue.node != node_id}
        self._stir(gone)
        self._held.stir(measured)

    async def order_nodes(self, ids: Sequence[str]) -> None:
        self._roster.order(ids)

    async def touch(self, node_id: str) -> None:
        node, now = self._roster.get(node_id), self._clock()
        if node and (node.status != "online" or now - node.last_seen >= TOUCH_SECONDS):
            await self.put_node(replace(node, status="online", last_seen=now))

    # Queues
    async def join(self, ticket: Ticket, queue: QueueKey, limit: int) -> bool:
        if self._waiting_besides(ticket.id, queue) >= limit:
            return False
        place = self._placed(ticket)
        if self._takes(queue):
            self._queues.enter(place, queue)
            self._chosen_at[queue.node] = self._clock()
        else:
            place.displace()
        return True

    async def turn(self, ticket_id: str, slots: Callable[[QueueKey], int]) -> Standing:
        place = self._places.get(ticket_id)
        if place is None or place.state == HELD:
            return NOWHERE
        if place.state == WAITING and place.line is not None:
            self._advance(place, place.line.key, slots)
        return place.standing()

    async def news(self, ticket_id: str, timeout: float) -> None:
        place = self._places.get(ticket_id)
        if place is not None:
            await place.bell.heard(timeout)

    async def move(self, source: QueueKey, target: QueueKey, count: int, most_moves: int, unmet: frozenset[str]) -> int:
        if source == target or not self._takes(target) or not self._circuits.is_closed(target):
            return 0
        return self._queues.move(
            source, target, count, lambda place: place.moves < most_moves and unmet.isdisjoint(place.ticket.needs)
        )

    async def leave(self, ticket_id: str) -> None:
        place = self._places.pop(ticket_id, None)
        if place is not None:
            self._vacate(place)
            place.bell.ring()

    # Held requests
    async def hold(self, ticket: Ticket, models: Sequence[str], limit: int) -> bool:
        if ticket.id not in self._held:
            if len(self._held) >= limit:
                return False
            self._placed(ticket).state = HELD
        self._held.put(ticket, self._places[ticket.id].bell, models)
        return True

    # What was learned
    async def observe(self, queue: QueueKey, seconds: float) -> None:
        if self._roster.get(queue.node):
            self._latencies.observe(queue, seconds)

    async def learned(self, most: int) -> Mapping[QueueKey, Sequence[float]]:
        return self._latencies.news(most)

    async def teach(self, durations: Mapping[QueueKey, Sequence[float]]) -> None:
        self._latencies.teach(durations)

    async def failed(self, queue: QueueKey, stalled: bool = False) -> None:
        if self._roster.get(queue.node) and self._circuits.failed(queue, stalled):
            self._queues.displace(queue)

    async def succeeded(self, queue: QueueKey) -> None:
        if self._circuits.succeeded(queue):
            self._queues.ring(queue.node, frozenset())
            self._held.stir((queue.model,))

    async def pin(self, session: str, pin: Pin) -> None:
        self._pins[session] = pin
        self._pins.move_to_end(session)
        if len(self._pins) > MOST_PINS:
            self._pins.popitem(last=False)

    async def pinned(self, session: str) -> Pin | None:
        return self._pins.get(session)

    # Housekeeping
    async def lease(self, name: str, seconds: float) -> bool:
        now = self._clock()
        if self._leases.get(name, now) > now:
            return False
        self._leases[name] = now + seconds
        return True

    async def release(self, name: str) -> None:
        self._leases.pop(name, None)

    async def beat(self, owner: str) -> None:
        self._beats[owner] = self._clock()

    async def reap(self, older_than: float) -> int:
        now = self._clock()
        silent = {owner for owner, at in self._beats.items() if now - at >= older_than}
        lost = [ticket_id for ticket_id, place in self._places.items() if place.ticket.owner in silent]
        for ticket_id in lost:
            await self.leave(ticket_id)
        self._beats = {owner: at for owner, at in self._beats.items() if owner not in silent}
        return len(lost)

    # What several of these share
    def _note_loads(self, before: NodeSnapshot | None, node: NodeSnapshot) -> None:
        """A model that was just loaded counts as just used: it was loaded for somebody."""
        for model in node.resident.keys() - (before.resident.keys() if before else set()):
            self._used_at[QueueKey(node.id, model)] = self._clock()

    def _takes(self, queue: QueueKey) -> bool:
        node = self._roster.get(queue.node)
        return node is not None and serves(node) and not self._circuits.is_open(queue)

    def _waiting_besides(self, ticket_id: str, queue: QueueKey) -> int:
        """How many others wait there: a ticket does not stand in its own way."""
        depth = self._queues.depths.get(queue)
        place = self._places.get(ticket_id)
        there = place is not None and place.state == WAITING and place.line is not None and place.line.key == queue
        return depth.pending - there if depth else 0

    def _placed(self, ticket: Ticket) -> Place:
        """The ticket's place, new or vacated. Whoever never beat is alive as of now."""
        self._beats.setdefault(ticket.owner, self._clock())
        place = self._places.get(ticket.id)
        if place is None:
            place = self._places[ticket.id] = Place(ticket, next(self._sequence))
        self._vacate(place)
        place.ticket, place.moves = ticket, max(ticket.moves, place.moves)
        return place

    def _vacate(self, place: Place) -> None:
        """Give back its slot, its place in a queue or in the hold."""
        self._held.discard(place.ticket.id)
        ran = place.state == RUNNING
        queue = self._queues.withdraw(place)
        if queue is not None and ran and self._roster.get(queue.node):
            self._used_at[queue] = self._clock()
        if queue is not None:
            self._circuits.ended(queue, place.ticket.id)
            self._held.stir((queue.model,))

    def _advance(self, place: Place, queue: QueueKey, slots: Callable[[QueueKey], int]) -> None:
        """Take a slot if it is this ticket's turn."""
        if self._circuits.is_open(queue):
            self._queues.displace(queue)
        elif self._queues.is_next(place) and self._circuits.admits(queue) and self._queues.start(place, slots(queue)):
            self._circuits.started(queue, place.ticket.id)

    def _displace(self, node_id: str) -> None:
        for queue in self._queues.of_node(node_id):
            self._queues.displace(queue)

    def _stir(self, *nodes: NodeSnapshot | None) -> None:
        self._held.stir(model for node in nodes if node for model in (*node.resident, *node.on_disk))
