"""What lives inside one server process: started in this order, stopped in reverse."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from django.db import connections

from fleetsite import refresh
from fleetsite.celery import app
from fleetsite.embedded import EmbeddedCelery
from nodes.core.circuit import CircuitPolicy
from nodes.core.configs import NodeConfigs
from nodes.fleet import get_fleet, use_fleet
from nodes.fleet.loop import bind
from nodes.fleet.memory import MemoryFleet
from nodes.fleet.owner import OWNER
from nodes.lib.background import behind
from nodes.lib.live import current
from nodes.poller import Poller, use_poller
from routing import history, tasks
from routing.journal import journal
from routing.management import pulls
from routing.upstreams import client

log = logging.getLogger(__name__)

LOOK_AFTER_CELERY = 5.0  # seconds


@asynccontextmanager
async def fleet() -> AsyncIterator[None]:
    """The live state, owned by this loop."""
    bind(asyncio.get_running_loop())
    use_fleet(MemoryFleet(policy=lambda: current(CircuitPolicy)))
    await get_fleet().beat(OWNER)
    yield
    bind(None)


@asynccontextmanager
async def database() -> AsyncIterator[None]:
    """The database thread's connection, closed when nothing writes any more."""
    yield
    await behind(connections.close_all)


@asynccontextmanager
async def parameters() -> AsyncIterator[None]:
    """The values in force, and what earlier processes learned."""
    await refresh.load_all()
    await history.load()
    yield
    await history.save()


@asynccontextmanager
async def records() -> AsyncIterator[None]:
    """The journal of decisions."""
    await journal.start()
    yield
    await journal.stop()


@asynccontextmanager
async def engines() -> AsyncIterator[None]:
    """The connections to engines, and the pulls that use them."""
    yield
    await pulls.stop()
    await client.close()


@asynccontextmanager
async def polling() -> AsyncIterator[None]:
    """Every node read once, then as often as it should be; what any process changes of them is followed."""
    poller = Poller(get_fleet())
    use_poller(poller)
    await poller.apply(current(NodeConfigs))
    await poller.poll_once()
    async with background(refresh.watch(lambda: poller.apply(current(NodeConfigs)))):
        yield
    await poller.close()


@asynccontextmanager
async def periodic() -> AsyncIterator[None]:
    """Celery's worker and beat, looked after; then the loads that they began."""
    celery = EmbeddedCelery(app)
    await asyncio.to_thread(celery.start)
    async with background(_look_after(celery)):
        yield
    await asyncio.to_thread(celery.stop)
    await tasks.stop()


PARTS: tuple[Callable[[], Any], ...] = (fleet, database, parameters, records, engines, polling, periodic)


async def lifespan(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    """The ASGI lifespan: everything is up before the first request, and down after the last."""
    await receive()
    async with AsyncExitStack() as stack:
        try:
            for part in PARTS:
                await stack.enter_async_context(part())
        except Exception as error:
            log.exception("the server can't start")
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """A coroutine that runs beside what is in the block, and ends with it."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _look_after(celery: EmbeddedCelery) -> None:
    while True:
        await asyncio.sleep(LOOK_AFTER_CELERY)
        await asyncio.to_thread(celery.revive)
