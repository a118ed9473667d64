import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from django.db import DatabaseError

from fleetsite import overrides, refresh
from nodes import changes, roster
from nodes.core.configs import NodeConfigs
from nodes.lib.background import behind
from nodes.lib.live import current, install
from nodes.lib.local import TrustedProxies
from nodes.lib.parameter import ParametersVersion
from routing.core.parameters import AccessPolicy, ScoringWeights

pytestmark = pytest.mark.django_db(transaction=True)
SOON = 0.01  # seconds
DEADLINE = 10.0  # seconds


@pytest.fixture(autouse=True)
async def _defaults() -> AsyncIterator[None]:
    """Later tests find the defaults."""
    yield
    for value in (ScoringWeights(), AccessPolicy(), NodeConfigs(), TrustedProxies(), ParametersVersion()):
        install(value)


@asynccontextmanager
async def watching(on_change: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """The watcher, at work."""
    task = asyncio.create_task(refresh.watch(on_change, SOON))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Bell:
    """Rings at each change; may fail the first times."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.rings: asyncio.Queue[int] = asyncio.Queue()

    async def __call__(self) -> None:
        if self.failures:
            self.failures -= 1
            raise ValueError("not yet")
        self.rings.put_nowait(len(current(NodeConfigs).nodes))

    async def next(self) -> int:
        """How many nodes there were at the next ring."""
        return await asyncio.wait_for(self.rings.get(), DEADLINE)


async def test_everything_is_loaded_at_the_start() -> None:
    await behind(roster.add, "studio", "http://a")
    await behind(overrides.change, {"FLEET_SCORE_MODEL_HOT": 60})
    await refresh.load_all()
    assert [node.name for node in current(NodeConfigs).nodes] == ["studio"]
    assert current(ScoringWeights).model_hot == 60
    assert current(ParametersVersion).number > 0


async def test_trusted_proxies_follow_their_parameter() -> None:
    await behind(overrides.change, {"FLEET_TRUSTED_PROXIES": "10.0.0.0/8"})
    await refresh.load_all()
    assert current(TrustedProxies).networks == "10.0.0.0/8"


async def test_a_change_is_in_force_when_the_watcher_tells_of_it() -> None:
    bell = Bell()
    async with watching(bell):
        assert await bell.next() == 0
        await behind(roster.add, "studio", "http://a")
        assert await bell.next() == 1


async def test_without_a_change_nothing_is_told() -> None:
    bell = Bell()
    async with watching(bell):
        await bell.next()
        for _ in range(3):  # three looks of the watcher, in the thread that it looks in
            await asyncio.sleep(SOON)
            await behind(changes.count)
    assert bell.rings.empty()


async def test_what_could_not_be_applied_is_tried_again() -> None:
    bell = Bell(failures=2)
    async with watching(bell):
        assert await bell.next() == 0


async def test_a_database_that_is_away_is_told_once_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, failures = changes.count, iter([DatabaseError("away")] * 3)

    def count() -> int:
        for failure in failures:
            raise failure
        return real()

    monkeypatch.setattr(changes, "count", count)
    bell = Bell()
    with caplog.at_level(logging.ERROR, "fleetsite.refresh"):
        async with watching(bell):
            await bell.next()
    assert [record.message for record in caplog.records] == [
        "changes can't be read or applied, trying again each second: DatabaseError: away"
    ]
