"""What lives in a server process, in order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fleetsite import runtime
from fleetsite.celery import app
from fleetsite.embedded import EmbeddedCelery
from fleetsite.runtime import background, lifespan
from nodes.core.values import NodeSnapshot, QueueKey
from nodes.fleet import get_fleet, use_fleet
from nodes.lib.background import behind
from routing.models import LatencyHistory
from routing.notebook import notebook
from tests.routing.records import stored, trace


async def live(monkeypatch: pytest.MonkeyPatch, *parts: Any) -> list[str]:
    """The messages of one life with these parts."""
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {}

    async def send(message: dict[str, str]) -> None:
        sent.append(message["type"])

    monkeypatch.setattr(runtime, "PARTS", parts)
    await lifespan({}, receive, send)
    return sent


def part(name: str, story: list[str]) -> Any:
    @asynccontextmanager
    async def made() -> AsyncIterator[None]:
        story.append(f"+{name}")
        yield
        story.append(f"-{name}")

    return made


@asynccontextmanager
async def broken() -> AsyncIterator[None]:
    raise RuntimeError("no such thing")
    yield


async def test_parts_stop_in_reverse_order(monkeypatch: pytest.MonkeyPatch) -> None:
    story: list[str] = []
    await live(monkeypatch, part("a", story), part("b", story))
    assert story == ["+a", "+b", "-b", "-a"]


async def test_a_life_is_announced_and_taken_leave_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await live(monkeypatch) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_part_that_fails_is_told_and_the_earlier_ones_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    story: list[str] = []
    sent = await live(monkeypatch, part("a", story), broken, part("b", story))
    assert (sent, story) == (["lifespan.startup.failed"], ["+a", "-a"])


@asynccontextmanager
async def failing_at_its_end() -> AsyncIterator[None]:
    yield
    raise RuntimeError("no more")


async def wrong() -> None:
    raise RuntimeError("no such work")


@pytest.mark.django_db(transaction=True)
async def test_a_part_that_fails_at_its_end_loses_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = trace()
    notebook.note(noted)
    with pytest.raises(RuntimeError, match="no more"):
        await live(monkeypatch, runtime.records, failing_at_its_end)
    assert len(await stored(id=noted.id)) == 1


@pytest.mark.django_db(transaction=True)
async def test_a_part_that_fails_at_its_end_loses_no_latency(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def learning() -> AsyncIterator[None]:
        await get_fleet().put_node(NodeSnapshot("studio"))
        await get_fleet().observe(QueueKey("studio", "m"), 2.0)
        yield

    with pytest.raises(RuntimeError, match="no more"):
        await live(monkeypatch, runtime.fleet, runtime.parameters, learning, failing_at_its_end)
    use_fleet(None)
    assert await behind(lambda: [row.durations for row in LatencyHistory.objects.all()]) == [[2.0]]


async def test_work_beside_that_fails_does_not_fail_what_it_runs_beside(caplog: pytest.LogCaptureFixture) -> None:
    async with background(wrong()):
        await asyncio.sleep(0)
    assert "no such work" in caplog.text


async def test_work_beside_ends_with_what_it_runs_beside() -> None:
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with background(endless()):
        await asyncio.sleep(0)
    assert ended.is_set()


async def test_celery_is_looked_after_again_when_it_could_not_be_revived(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = asyncio.Queue[None]()

    class Stubborn(EmbeddedCelery):
        def revive(self) -> None:
            loop.call_soon_threadsafe(tried.put_nowait, None)
            raise RuntimeError("can't start new thread")

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(runtime, "LOOK_AFTER_CELERY", 0.0)
    async with background(runtime._look_after(Stubborn(app))), asyncio.timeout(5):
        await tried.get()
        await tried.get()
