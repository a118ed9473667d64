"""Small things that every test of a fleet needs."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from nodes.core.values import DiskModel, NodeSnapshot, QueueKey, ResidentModel, Ticket
from nodes.fleet.port import FleetState

MODEL = "qwen2.5:7b"
STUDIO, MINI = QueueKey("studio", MODEL), QueueKey("mini", MODEL)
LONG = 60.0  # a sleep that no test survives: whoever wakes had news
DEADLINE = 5.0
ANY = 1000


class Clock:
    """Epoch seconds that stand still until a test moves them."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Later, by this much."""
        self.now += seconds


def node(node_id: str, **known: Any) -> NodeSnapshot:
    """A node that has the model in memory."""
    resident = {MODEL: ResidentModel(MODEL)}
    return NodeSnapshot(node_id, **{"resident": resident, "on_disk": {MODEL: DiskModel(MODEL)}} | known)


def measured(node_id: str, gb: float, context: int | None = None) -> NodeSnapshot:
    """A node that tells the size of the model in its memory."""
    return node(node_id, resident={MODEL: ResidentModel(MODEL, gb, context)})


def ticket(name: str, arrived: float = 0.0, owner: str = "server-1", **more: Any) -> Ticket:
    """One request's ticket."""
    return Ticket(name, owner, arrived, **more)


def slots(count: int) -> Callable[[QueueKey], int]:
    """As many slots in every queue."""
    return lambda queue: count


async def joined(fleet: FleetState, name: str, queue: QueueKey = STUDIO, **more: Any) -> None:
    """A ticket that has joined a queue."""
    assert await fleet.join(ticket(name, **more), queue, ANY)


async def running(fleet: FleetState, name: str, queue: QueueKey = STUDIO, **more: Any) -> None:
    """A ticket that has joined a queue and got a slot."""
    await joined(fleet, name, queue, **more)
    assert await state(fleet, name, ANY) == "running"


async def waiting(fleet: FleetState, name: str, queue: QueueKey = STUDIO, **more: Any) -> None:
    """A ticket that has joined a queue, was refused a slot and now sleeps."""
    await joined(fleet, name, queue, **more)
    assert await state(fleet, name, 0) == "waiting"


async def state(fleet: FleetState, name: str, count: int = 1) -> str:
    """Where the ticket stands after asking for its turn."""
    return (await fleet.turn(name, slots(count))).state


async def news(fleet: FleetState, name: str) -> None:
    """There is news for this ticket, or the test fails."""
    await soon(fleet.news(name, LONG))


async def soon(work: Coroutine[Any, Any, Any]) -> Any:
    """What it returns within the deadline."""
    return await asyncio.wait_for(work, DEADLINE)
