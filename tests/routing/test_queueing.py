"""A slot: taken in turn, held to the end, given back once."""

import asyncio
from dataclasses import replace

import pytest

from nodes.core.values import QueueDepth, QueueKey, Ticket
from nodes.fleet.memory import MemoryFleet
from routing.core.problems import SlotRefused
from routing.queueing import slot
from tests.routing.factories import MODEL, node, request, trace
from tests.routing.records import until

STUDIO = QueueKey("studio", MODEL)


def ticket(name: str) -> Ticket:
    return Ticket(name, "server-1", 0.0)


async def held(name: str, leave: asyncio.Event) -> None:
    """A slot, kept until told to leave."""
    async with slot(ticket(name), STUDIO, trace(request())):
        await leave.wait()


def depth(fleet: MemoryFleet) -> tuple[int, int]:
    """How many run and wait."""
    seen = fleet.snapshot().queues.get(STUDIO, QueueDepth())
    return seen.in_flight, seen.pending


async def test_no_more_than_the_slots_run_however_many_come(fleet: MemoryFleet) -> None:
    await fleet.put_node(node(parallel=2))
    leave = asyncio.Event()
    crowd = [asyncio.create_task(held(str(n), leave)) for n in range(8)]
    await until(lambda: depth(fleet) == (2, 6))
    leave.set()
    await asyncio.gather(*crowd)
    assert depth(fleet) == (0, 0)


async def test_who_leaves_while_running_gives_the_slot_to_the_next(fleet: MemoryFleet) -> None:
    await fleet.put_node(node(parallel=1))
    crowd = [asyncio.create_task(held(str(n), asyncio.Event())) for n in range(2)]
    await until(lambda: depth(fleet) == (1, 1))
    crowd[0].cancel()
    await until(lambda: depth(fleet) == (1, 0))
    crowd[1].cancel()
    await asyncio.wait(crowd)
    assert depth(fleet) == (0, 0)


async def test_who_leaves_while_waiting_is_never_sent_anywhere(fleet: MemoryFleet) -> None:
    await fleet.put_node(node(parallel=1))
    leave = asyncio.Event()
    first = asyncio.create_task(held("first", leave))
    await until(lambda: depth(fleet) == (1, 0))
    impatient = asyncio.create_task(held("impatient", leave))
    await until(lambda: depth(fleet) == (1, 1))
    impatient.cancel()
    await asyncio.wait({impatient})
    leave.set()
    await first
    assert (impatient.cancelled(), depth(fleet)) == (True, (0, 0))


async def test_who_waits_at_a_node_that_is_paused_is_sent_to_the_next_best(fleet: MemoryFleet) -> None:
    await fleet.put_node(node(parallel=1))
    leave = asyncio.Event()
    first = asyncio.create_task(held("first", leave))
    await until(lambda: depth(fleet) == (1, 0))
    second = asyncio.create_task(held("second", leave))
    await until(lambda: depth(fleet) == (1, 1))
    await fleet.put_node(replace(node(parallel=1), paused=True))
    with pytest.raises(SlotRefused):
        await second
    leave.set()
    await first
