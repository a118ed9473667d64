"""QUEUE: `async with slot(...)`: in turn, moved when a rebalance says so, given back exactly once."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nodes.core.values import NodeSnapshot, QueueKey, Standing, Ticket
from nodes.fleet import get_fleet
from nodes.lib.live import current
from routing.core.parameters import QueuePolicy
from routing.core.problems import SlotRefused
from routing.core.slots import slots
from routing.recorder import Trace

PATIENCE = 5.0  # seconds between looks when no news comes


def slots_of(queue: QueueKey) -> int:
    """How many of ours may run in this queue now."""
    node = get_fleet().node(queue.node)
    return slots(node, queue.model, get_fleet().snapshot(), current(QueuePolicy)) if node else 0


@asynccontextmanager
async def slot(ticket: Ticket, queue: QueueKey, trace: Trace) -> AsyncIterator[Standing]:
    """A slot in turn; the standing says in which queue. SlotRefused if it is full, or its node was lost meanwhile."""
    try:
        if not await get_fleet().join(ticket, queue, current(QueuePolicy).max_queue):
            raise SlotRefused("its queue is full", full=True)
        standing = await _waited(ticket.id, trace)
        if standing.state != "running":
            raise SlotRefused("it stopped taking requests while this one waited")
        yield standing
    finally:
        await get_fleet().leave(ticket.id)


async def _waited(ticket_id: str, trace: Trace) -> Standing:
    """Where the ticket stands once it waits no longer; the wait counts, however it ends."""
    fleet, began = get_fleet(), time.perf_counter()
    try:
        standing = await fleet.turn(ticket_id, slots_of)
        while standing.state == "waiting":
            await fleet.news(ticket_id, PATIENCE)
            standing = await fleet.turn(ticket_id, slots_of)
        return standing
    finally:
        trace.queued_s += time.perf_counter() - began


def node_at(queue: QueueKey | None) -> NodeSnapshot:
    """The node of a queue, as it is now; SlotRefused if it was removed meanwhile."""
    node = get_fleet().node(queue.node) if queue else None
    if node is None:
        raise SlotRefused("its node was removed")
    return node
