"""Random programs: steps taken one by one and checked after each; and a crowd of requests that are disturbed."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Any

from hypothesis import strategies as st

from nodes.core.values import QueueKey, Standing
from nodes.fleet.port import FleetState
from tests.nodes.fleet.factories import ANY, LONG, Clock, news, node, slots, ticket

MODELS = ("qwen2.5:7b", "smollm2:135m")
NODES = ("studio", "mini", "attic")
OWNERS = ("server-1", "server-2")
QUEUES = tuple(QueueKey(*key) for key in product(NODES[:2], MODELS))
TICKETS = {name: ticket(name, arrived=float(at * 7 % 5), owner=OWNERS[at % 2]) for at, name in enumerate("abcdefghij")}
SLOTS = 2

names, queues, node_ids = st.sampled_from(sorted(TICKETS)), st.sampled_from(QUEUES), st.sampled_from(NODES[:2])
STEPS = st.one_of(
    st.tuples(st.just("join"), names, queues),
    st.tuples(st.just("ask"), names),
    st.tuples(st.just("join"), names, queues),
    st.tuples(st.just("ask"), names),
    st.tuples(st.just("leave"), names),
    st.tuples(st.just("hold"), names),
    st.tuples(st.just("move"), queues, queues, st.integers(0, 4)),
    st.tuples(st.just("pause"), node_ids),
    st.tuples(st.just("resume"), node_ids),
    st.tuples(st.just("drop"), node_ids),
    st.tuples(st.just("fail"), queues, st.booleans()),
    st.tuples(st.just("succeed"), queues),
    st.tuples(st.just("advance"), st.sampled_from([1.0, 29.0, 31.0])),
    st.tuples(st.just("die"), st.sampled_from(OWNERS)),
)


async def run(fleet: FleetState, clock: Clock, steps: Iterable[tuple[Any, ...]]) -> None:
    """Take every step, then ask everyone, then let everyone leave; AssertionError where an invariant breaks."""
    program = Program(fleet, clock)
    for node_id in NODES[:2]:
        await program.resume(node_id)
    for name, *given in steps:
        await getattr(program, name)(*given)
        program.check()
    await program.end()


class Program:
    """Knows only what the fleet answered, and holds the fleet to it."""

    def __init__(self, fleet: FleetState, clock: Clock) -> None:
        self.fleet, self.clock = fleet, clock
        self.last: dict[str, Standing] = {}  # what each ticket was last told; a held one stands nowhere
        self.held: set[str] = set()

    async def join(self, name: str, queue: QueueKey) -> None:
        if await self.fleet.join(TICKETS[name], queue, 4):
            self.held.discard(name)
            self.last[name] = Standing("joined")
            await self.ask(name)

    async def ask(self, name: str) -> None:
        before = self.fleet.snapshot()
        told = await self.fleet.turn(name, slots(SLOTS))
        last = self.last.get(name, Standing("gone"))
        if last.state == "waiting" and told != last:
            await news(self.fleet, name)
        if told.state == "running" and last.state != "running":
            assert before.depth(*told.queue).oldest_at == TICKETS[name].arrived, "whoever arrived first goes first"
        assert (told.state == "gone") == (last.state == "gone")
        assert last.state != "running" or told == last, "what runs stays where it runs"
        if told.state != "gone":
            self.last[name] = told
        if told.state == "waiting":
            await self.fleet.news(name, 0)  # old news is heard: only what comes from now on counts

    async def leave(self, name: str) -> None:
        self._forget(name)
        await self.fleet.leave(name)

    async def hold(self, name: str) -> None:
        if await self.fleet.hold(TICKETS[name], MODELS, 3):
            self._forget(name)
            self.held.add(name)

    async def move(self, source: QueueKey, target: QueueKey, count: int) -> None:
        waiting = self.fleet.snapshot().depth(*source).pending
        assert await self.fleet.move(source, target, count, 2, frozenset()) <= min(count, waiting)

    async def pause(self, node_id: str) -> None:
        await self.fleet.put_node(node(node_id, paused=True))

    async def resume(self, node_id: str) -> None:
        await self.fleet.put_node(node(node_id))

    async def drop(self, node_id: str) -> None:
        await self.fleet.drop_node(node_id)

    async def fail(self, queue: QueueKey, stalled: bool) -> None:
        await self.fleet.failed(queue, stalled)

    async def succeed(self, queue: QueueKey) -> None:
        await self.fleet.succeeded(queue)

    async def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    async def die(self, owner: str) -> None:
        self.clock.advance(31)
        for other in set(OWNERS) - {owner}:
            await self.fleet.beat(other)
        dead = [name for name in {*self.last, *self.held} if TICKETS[name].owner == owner]
        assert await self.fleet.reap(30) == len(dead)
        for name in dead:
            self._forget(name)

    async def end(self) -> None:
        for _ in range(2):  # one ticket's start may be news for another
            for name in sorted(self.last):
                await self.ask(name)
        standing = [name for name, last in self.last.items() if last.state != "displaced"]
        assert sum(depth.total for depth in self.fleet.snapshot().queues.values()) == len(standing)
        for name in sorted({*self.last, *self.held}):
            await self.leave(name)
            self.check()
            for other in sorted(self.last):
                await self.ask(other)
        assert dict(self.fleet.snapshot().queues) == {}

    def check(self) -> None:
        seen = self.fleet.snapshot()
        runs = Counter(last.queue for last in self.last.values() if last.state == "running")
        assert {key: depth.in_flight for key, depth in seen.queues.items() if depth.in_flight} == dict(runs)
        assert all(count <= SLOTS for count in runs.values())
        assert seen.held == len(self.held)
        assert sum(depth.total for depth in seen.queues.values()) <= len(self.last), "a ticket stands in one place"

    def _forget(self, name: str) -> None:
        self.last.pop(name, None)
        self.held.discard(name)


async def crowd(fleet: FleetState, clock: Clock, random: Random) -> None:
    """Thirty requests walk at once while nodes come and go: nobody is forgotten, no slot is given twice or lost."""
    for node_id in NODES:
        await fleet.put_node(node(node_id))
    walks = [Walk(fleet, random, f"request-{at}", float(random.randrange(9))) for at in range(30)]
    tasks = [asyncio.create_task(walk.run()) for walk in walks]
    try:
        async with asyncio.timeout(LONG / 2):
            for _ in range(40):
                await disturb(fleet, clock, random, tasks)
            for node_id in NODES:
                await fleet.put_node(node(node_id))
            while not all(task.done() for task in tasks):  # whoever was suspended is tried again
                clock.advance(31)
                await asyncio.sleep(0.01)
        await asyncio.gather(*(task for task in tasks if not task.cancelled()))
    finally:  # a program that hypothesis breaks off leaves nobody behind
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert all(walk.served or task.cancelled() for walk, task in zip(walks, tasks, strict=True))
    assert (dict(fleet.snapshot().queues), fleet.snapshot().held) == ({}, 0)


async def disturb(fleet: FleetState, clock: Clock, random: Random, tasks: list["asyncio.Task[None]"]) -> None:
    """One thing that happens to a fleet, and some turns of the loop."""
    key = QueueKey(random.choice(NODES), random.choice(MODELS))
    other = key._replace(node=random.choice(NODES))
    events = (
        lambda: fleet.put_node(node(key.node, paused=True)),
        lambda: fleet.put_node(node(key.node)),
        lambda: fleet.drop_node(key.node),
        lambda: fleet.move(key, other, 3, ANY, frozenset()),
        lambda: fleet.failed(key, random.random() < 0.5),
        lambda: fleet.succeeded(key),
        lambda: asyncio.sleep(0, random.choice(tasks).cancel()),
        lambda: asyncio.sleep(0, clock.advance(31)),
    )
    await random.choice(events)()
    for _ in range(random.randrange(4)):
        await asyncio.sleep(0)


class Walk:
    """One request: takes a queue, waits for its turn, runs, gives back; held where nothing takes it."""

    running: Counter[QueueKey] = Counter()

    def __init__(self, fleet: FleetState, random: Random, name: str, arrived: float) -> None:
        self.fleet, self.random, self.ticket = fleet, random, ticket(name, arrived)
        self.served = False

    async def run(self) -> None:
        try:
            while not self.served:
                await self.attempt(QueueKey(self.random.choice(NODES), self.random.choice(MODELS)))
        finally:
            await self.fleet.leave(self.ticket.id)

    async def attempt(self, queue: QueueKey) -> None:
        if await self.fleet.join(self.ticket, queue, 5) and (told := await self.turn()).state == "running":
            await self.answer(told.queue)
        else:
            await self.fleet.hold(self.ticket, MODELS, ANY)
            await self.fleet.news(self.ticket.id, 0.05)

    async def turn(self) -> Standing:
        while (told := await self.fleet.turn(self.ticket.id, slots(SLOTS))).state == "waiting":
            await self.fleet.news(self.ticket.id, LONG)
        return told

    async def answer(self, queue: QueueKey) -> None:
        self.running[queue] += 1
        try:
            assert self.running[queue] <= SLOTS
            for _ in range(self.random.randrange(4)):
                await asyncio.sleep(0)
            await self.random.choice((self.fleet.succeeded, self.fleet.failed))(queue)
            self.served = True
        finally:
            self.running[queue] -= 1
