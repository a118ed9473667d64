"""The fleet of one process: the contract, and what only this adapter promises."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event, Thread

from nodes.core.circuit import CircuitPolicy
from nodes.core.values import Pin
from nodes.fleet import memory
from nodes.fleet.memory import MemoryFleet
from tests.nodes.fleet.contract import FleetContract
from tests.nodes.fleet.factories import ANY, LONG, MODEL, STUDIO, Clock, joined, news, node, running, ticket


class TestMemoryFleet(FleetContract):
    @asynccontextmanager
    async def opened(self, clock: Clock) -> AsyncIterator[MemoryFleet]:
        yield MemoryFleet(clock)


async def test_many_changes_within_a_moment_are_one_piece_of_news():
    fleet = MemoryFleet(Clock())
    await fleet.hold(ticket("a"), [MODEL], ANY)
    for parallel in range(5):
        await fleet.put_node(node("studio", parallel=parallel))
    await news(fleet, "a")
    again = asyncio.create_task(fleet.news("a", LONG))
    await asyncio.wait({again}, timeout=0.15)
    assert again.cancel()


async def test_a_change_of_another_model_leaves_a_held_request_asleep():
    fleet = MemoryFleet(Clock())
    await fleet.hold(ticket("a"), ["other:1b"], ANY)
    await fleet.put_node(node("studio"))
    asleep = asyncio.create_task(fleet.news("a", LONG))
    await asyncio.wait({asleep}, timeout=0.15)
    assert asleep.cancel()


async def test_a_changed_circuit_policy_is_in_force_at_once():
    policies = [CircuitPolicy(failures=9)]
    fleet = MemoryFleet(Clock(), lambda: policies[-1])
    await fleet.put_node(node("studio"))
    await fleet.failed(STUDIO)
    policies.append(CircuitPolicy(failures=2))
    await fleet.failed(STUDIO)
    assert fleet.snapshot().unhealthy == {STUDIO}


async def test_only_so_many_pins_are_kept_and_the_oldest_goes_first(monkeypatch):
    monkeypatch.setattr(memory, "MOST_PINS", 2)
    fleet = MemoryFleet(Clock())
    for session in ("a", "b", "a", "c"):
        await fleet.pin(session, Pin(MODEL, "studio", 0.0))
    assert [session for session in "abc" if await fleet.pinned(session)] == ["a", "c"]


async def test_traffic_within_the_same_second_changes_nothing():
    clock = Clock()
    fleet = MemoryFleet(clock)
    await fleet.put_node(node("studio", last_seen=clock.now))
    before = fleet.snapshot().nodes
    clock.advance(0.9)
    await fleet.touch("studio")
    assert fleet.snapshot().nodes is before


async def test_a_snapshot_may_be_taken_in_any_thread_while_the_loop_works():
    fleet, done, broken = MemoryFleet(), Event(), []

    def look():
        while not done.is_set():
            broken.extend(depth for depth in fleet.snapshot().queues.values() if depth.total != 1)

    watcher = Thread(target=look)
    watcher.start()
    await fleet.put_node(node("studio"))
    for at in range(2000):
        await running(fleet, f"r{at}")
        await fleet.failed(STUDIO._replace(model=f"m{at % 50}"), stalled=True)
        await fleet.leave(f"r{at}")
    done.set()
    watcher.join()
    assert broken == []


async def test_after_everyone_left_nothing_is_remembered_of_them():
    fleet = MemoryFleet(Clock())
    await fleet.put_node(node("studio"))
    await running(fleet, "a")
    await joined(fleet, "b")
    await fleet.hold(ticket("c"), [MODEL], ANY)
    for name in "abc":
        await fleet.leave(name)
    assert not (fleet._places or fleet._queues._lines or fleet._queues.depths or len(fleet._held))
