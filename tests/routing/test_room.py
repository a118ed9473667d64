"""Room for a held request: made beside it, never in its time."""

import asyncio
from collections.abc import Iterator

import pytest

from nodes.core.values import DiskModel, Memory, NodeSnapshot, ResidentModel
from nodes.fleet.memory import MemoryFleet
from nodes.lib.live import current, install
from routing import room
from routing.core.parameters import QueuePolicy
from tests.routing.asking import ask
from tests.routing.factories import HELLO, MODEL, node

IDLE = "idle:13b"


class Engine:
    """Unloads when it is told to go on."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go_on = asyncio.Event()

    async def unload(self, node: NodeSnapshot, model: str, embedding: bool) -> None:
        self.asked.append(model)
        await self.go_on.wait()


@pytest.fixture(autouse=True)
def _short_hold() -> Iterator[None]:
    """A request is held for a tenth of a second."""
    before = current(QueuePolicy)
    install(QueuePolicy(hold_seconds=0.1, hold_retry=0.02))
    yield
    install(before)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Every node's engine."""
    ours = Engine()
    monkeypatch.setattr(room, "upstream_for", lambda node: ours)
    return ours


def full() -> NodeSnapshot:
    """A node on which an idle model alone is in the way."""
    resident = {IDLE: ResidentModel(IDLE, 13.0, idle=True)}
    return node(resident=resident, on_disk={MODEL: DiskModel(MODEL, 7.0)}, memory=Memory(16.0, 2.0))


async def test_a_slow_unload_takes_nothing_of_the_budget(fleet: MemoryFleet, engine: Engine) -> None:
    await fleet.put_node(full())
    async with asyncio.timeout(10):
        reply = await ask("/api/chat", {"model": MODEL, "messages": HELLO})
    assert (reply and reply.status, engine.asked) == (503, [IDLE])
    engine.go_on.set()


async def test_an_unload_at_work_is_not_begun_again(fleet: MemoryFleet, engine: Engine) -> None:
    await fleet.put_node(full())
    async with asyncio.timeout(10):
        for _ in range(2):
            await ask("/api/chat", {"model": MODEL, "messages": HELLO})
    assert engine.asked == [IDLE]
    engine.go_on.set()
