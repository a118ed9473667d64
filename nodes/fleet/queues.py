"""Who runs and who waits, queue by queue, in one process: places, their order, exact admission."""

from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import islice

from nodes.core.values import QueueDepth, QueueKey, Standing, Ticket
from nodes.fleet.bell import Bell

WAITING, RUNNING, DISPLACED, HELD, GONE = "waiting", "running", "displaced", "held", "gone"


class Place:
    """Where one ticket stands; it orders by arrival, then by who came to this fleet first."""

    __slots__ = ("bell", "line", "moves", "sequence", "state", "ticket")

    def __init__(self, ticket: Ticket, sequence: int) -> None:
        self.ticket = ticket
        self.sequence = sequence
        self.moves = ticket.moves
        self.state = GONE
        self.line: Line | None = None
        self.bell = Bell()

    def __lt__(self, other: "Place") -> bool:
        mine, theirs = self.ticket.arrived, other.ticket.arrived
        return mine < theirs if mine != theirs else self.sequence < other.sequence

    def standing(self) -> Standing:
        """The answer to its owner."""
        return Standing(self.state, self.line.key if self.line else None, self.moves)

    def displace(self) -> None:
        """Its queue is no more for it; the owner is told."""
        self.line, self.state = None, DISPLACED
        self.bell.ring()


class Line:
    """One queue: how many run, and who waits, the first at the head."""

    __slots__ = ("key", "running", "waiting")

    def __init__(self, key: QueueKey) -> None:
        self.key = key
        self.running = 0
        self.waiting: list[Place] = []

    def ring_head(self) -> None:
        """Whoever is first should look again."""
        if self.waiting:
            self.waiting[0].bell.ring()

    def depth(self) -> QueueDepth:
        """What others see of it."""
        oldest = self.waiting[0].ticket.arrived if self.waiting else None
        return QueueDepth(self.running, len(self.waiting), oldest)


class Queues:
    """All queues that are not empty. `depths` always agrees with them and may be copied from any thread."""

    def __init__(self) -> None:
        self._lines: dict[QueueKey, Line] = {}
        self.depths: dict[QueueKey, QueueDepth] = {}

    def enter(self, place: Place, key: QueueKey) -> None:
        """Wait here, behind all that arrived earlier."""
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line(key)
        insort(line.waiting, place)
        place.line, place.state = line, WAITING
        self._publish(line)

    def is_next(self, place: Place) -> bool:
        """Is it at the head of the queue it waits in?"""
        return place.line is not None and place.state == WAITING and place.line.waiting[0] is place

    def start(self, place: Place, slots: int) -> bool:
        """The head takes a slot if fewer than `slots` run; while slots remain, the next is told."""
        line = place.line
        if line is None or line.running >= slots:
            return False
        line.waiting.pop(0)
        line.running += 1
        place.state = RUNNING
        self._publish(line)
        if line.running < slots:
            line.ring_head()
        return True

    def withdraw(self, place: Place) -> QueueKey | None:
        """Give back its slot or its place in the queue, and tell who is first now; the queue it left, if any."""
        line = place.line
        if line is None:
            return None
        if place.state == RUNNING:
            line.running -= 1
            line.ring_head()
        else:
            self._unqueue(place, line)
        place.line, place.state = None, GONE
        self._publish(line)
        return line.key

    def displace(self, key: QueueKey) -> None:
        """All that wait here lose their place and are told; what runs goes on."""
        line = self._lines.get(key)
        if line is None:
            return
        displaced, line.waiting = line.waiting, []
        self._publish(line)
        for place in displaced:
            place.displace()

    def move(self, source: QueueKey, target: QueueKey, count: int, eligible: Callable[[Place], bool]) -> int:
        """Move up to `count` of the longest waiting, and tell them; how many."""
        line = self._lines.get(source)
        chosen = list(islice(filter(eligible, line.waiting), max(0, count))) if line else []
        for place in chosen:
            self.withdraw(place)
            self.enter(place, target)
            place.moves += 1
            place.bell.ring()
        return len(chosen)

    def of_node(self, node_id: str) -> list[QueueKey]:
        """The queues of one node."""
        return [key for key in self._lines if key.node == node_id]

    def ring(self, node_id: str, models: frozenset[str]) -> None:
        """Slots may have risen on this node, and for these models anywhere: whoever is first there should look."""
        for line in self._lines.values():
            if line.key.node == node_id or line.key.model in models:
                line.ring_head()

    def _unqueue(self, place: Place, line: Line) -> None:
        at = bisect_left(line.waiting, place)
        del line.waiting[at]
        if at == 0:
            line.ring_head()

    def _publish(self, line: Line) -> None:
        if line.running or line.waiting:
            self.depths[line.key] = line.depth()
        else:
            del self._lines[line.key]
            self.depths.pop(line.key, None)
