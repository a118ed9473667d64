"""What lives inside one server process: started in this order, stopped in reverse."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
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
    try:
        yield
    finally:
        bind(None)


@asynccontextmanager
async def database() -> AsyncIterator[None]:
    """The database thread's connection, closed when nothing writes any more."""
    try:
        yield
    finally:
        await behind(connections.close_all)


@asynccontextmanager
async def parameters() -> AsyncIterator[None]:
    """The values in force, and what earlier processes learned."""
    await refresh.load_all()
    await history.load()
    try:
        yield
    finally:
        await history.save()


@asynccontextmanager
async def records() -> AsyncIterator[None]:
    """The journal of decisions."""
    await journal.start()
    try:
        yield
    finally:
        await journal.stop()


@asynccontextmanager
async def engines() -> AsyncIterator[None]:
    """The connections to engines, and the pulls that use them."""
    try:
        yield
    finally:
        await pulls.stop()
        await client.close()


@asynccontextmanager
async def polling() -> AsyncIterator[None]:
    """Every node read once, then as often as it should be; what any process changes of them is followed."""
    poller = Poller(get_fleet())
    use_poller(poller)
    try:
        await poller.apply(current(NodeConfigs))
        await poller.poll_once()
        async with background(refresh.watch(lambda: poller.apply(current(NodeConfigs)))):
            yield
    finally:
        await poller.close()


@asynccontextmanager
async def loads() -> AsyncIterator[None]:
    """The loads that periodic work and operators begin."""
    try:
        yield
    finally:
        await tasks.stop()


@asynccontextmanager
async def periodic() -> AsyncIterator[None]:
    """Celery's worker and beat, looked after."""
    celery = EmbeddedCelery(app)
    await asyncio.to_thread(celery.start)
    try:
        async with background(_look_after(celery)):
            yield
    finally:
        await asyncio.to_thread(celery.stop)


PARTS: tuple[Callable[[], Any], ...] = (fleet, database, parameters, records, engines, polling, loads, periodic)


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
    """A coroutine that runs beside what is in the block, and ends with it; if it fails, that is logged at once."""
    task = asyncio.create_task(work)
    task.add_done_callback(_tell)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


def _tell(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("work in the background has ended: %s", task.get_coro(), exc_info=error)


async def _look_after(celery: EmbeddedCelery) -> None:
    while True:
        await asyncio.sleep(LOOK_AFTER_CELERY)
        try:
            await asyncio.to_thread(celery.revive)
        except Exception:
            log.exception("Celery could not be revived; it is tried again in %.0f s", LOOK_AFTER_CELERY)
