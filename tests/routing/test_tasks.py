"""Stages 4 and 5: look, plan, act."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from nodes.core.values import DiskModel, Memory, NodeSnapshot, QueueKey, ResidentModel, Ticket
from nodes.fleet import use_fleet
from nodes.fleet.memory import MemoryFleet
from routing import tasks
from routing.core.problems import UpstreamFailed

MODEL = "m:latest"
BUSY = NodeSnapshot(
    "busy",
    "busy",
    memory=Memory(64, 40),
    resident={MODEL: ResidentModel(MODEL, 4.0)},
    on_disk={MODEL: DiskModel(MODEL, 4.0)},
)
COLD = replace(BUSY, id="cold", name="cold", resident={})
LEASE = f"load:cold:{MODEL}"


class Engine:
    """Stands for the upstream: loads when it is told to, as it is told to."""

    def __init__(self, fleet: MemoryFleet) -> None:
        self.fleet = fleet
        self.asked: list[tuple[str, str]] = []
        self.go = asyncio.Event()
        self.failure: Exception | None = None

    async def load(self, node: NodeSnapshot, model: str, timeout: float, embedding: bool = False) -> None:
        self.asked.append((node.id, model))
        await self.go.wait()
        if self.failure:
            raise self.failure
        await self.fleet.put_node(replace(node, resident={model: ResidentModel(model, 4.0)}))


@pytest.fixture
async def fleet() -> AsyncIterator[MemoryFleet]:
    fleet = MemoryFleet()
    use_fleet(fleet)
    for node in (BUSY, COLD):
        await fleet.put_node(node)
    yield fleet
    await tasks.stop()
    use_fleet(None)


@pytest.fixture
def engine(fleet: MemoryFleet, monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine(fleet)
    monkeypatch.setattr(tasks, "upstream_for", lambda node: engine)
    return engine


async def waiting(fleet: MemoryFleet, count: int) -> None:
    for number in range(count):
        await fleet.join(Ticket(f"{number}", "us", time.time() + number), QueueKey("busy", MODEL), 100)


async def loads_end() -> None:
    await asyncio.gather(*tasks._loading, return_exceptions=True)


async def test_a_deep_queue_has_its_model_loaded_on_the_runner_up(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 3)
    assert await tasks.prewarm() == 1
    engine.go.set()
    await loads_end()
    assert engine.asked == [("cold", MODEL)]


async def test_a_tick_does_not_wait_for_the_load(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 3)
    await asyncio.wait_for(tasks.prewarm(), 5)
    assert not engine.go.is_set()


async def test_a_load_that_runs_is_not_begun_again(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 3)
    await tasks.prewarm()
    assert await tasks.prewarm() == 0


async def test_while_a_load_runs_none_of_the_same_model_is_begun_elsewhere(fleet: MemoryFleet, engine: Engine) -> None:
    await fleet.put_node(replace(COLD, id="colder", name="colder"))
    await waiting(fleet, 3)
    begun = await tasks.prewarm()
    await fleet.put_node(replace(COLD, memory=Memory(64, 1)))  # the load fills it: the other one ranks best now
    assert (begun, await tasks.prewarm()) == (1, 0)


async def test_after_a_failed_load_another_may_begin(fleet: MemoryFleet, engine: Engine) -> None:
    engine.failure = UpstreamFailed("out of memory")
    engine.go.set()
    await waiting(fleet, 3)
    await tasks.prewarm()
    await loads_end()
    assert await tasks.prewarm() == 1


async def test_the_lease_is_given_back_once_the_node_reports_the_model(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 3)
    await tasks.prewarm()
    engine.go.set()
    await loads_end()
    assert await fleet.lease(LEASE, 1)


async def test_a_failed_load_is_told_and_gives_the_lease_back(
    fleet: MemoryFleet, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    engine.failure = UpstreamFailed("out of memory")
    engine.go.set()
    await waiting(fleet, 3)
    with caplog.at_level(logging.WARNING):
        await tasks.prewarm()
        await loads_end()
    assert "out of memory" in caplog.text and await fleet.lease(LEASE, 1)


async def test_stopping_gives_up_loads_and_their_leases(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 3)
    await tasks.prewarm()
    await tasks.stop()
    assert await fleet.lease(LEASE, 1)


async def test_a_shallow_queue_has_nothing_loaded(fleet: MemoryFleet, engine: Engine) -> None:
    await waiting(fleet, 2)
    assert await tasks.prewarm() == 0


async def test_waiting_requests_move_to_where_the_model_is_loaded(fleet: MemoryFleet) -> None:
    await fleet.put_node(replace(COLD, resident=BUSY.resident))
    await waiting(fleet, 6)
    assert await tasks.rebalance() == 3
    assert fleet.snapshot().depth("cold", MODEL).pending == 3


async def test_nothing_moves_to_where_the_model_would_have_to_be_loaded(fleet: MemoryFleet) -> None:
    await waiting(fleet, 6)
    assert await tasks.rebalance() == 0


async def test_reaping_spares_our_own_requests(fleet: MemoryFleet) -> None:
    await fleet.join(Ticket("t", tasks.OWNER, time.time()), QueueKey("busy", MODEL), 100)
    assert await tasks.reap() == 0
