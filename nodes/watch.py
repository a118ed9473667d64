"""One node under observation: read again and again, at most one reading at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from nodes.core.configs import NodeConfig
from nodes.core.parameters import Liveness
from nodes.core.report import NodeReport
from nodes.core.trouble import words
from nodes.engines.base import Reader
from nodes.engines.client import EngineTrouble
from nodes.lib.live import current

log = logging.getLogger(__name__)
LEAST_GAP = 0.05  # seconds between two readings, however often they are asked for
Clock = Callable[[], float]
Tell = Callable[[NodeConfig, NodeReport], Awaitable[None]]


class Watch:
    """Reads one node every poll interval, and at once when asked."""

    def __init__(self, config: NodeConfig, reader: Reader, tell: Tell, clock: Clock) -> None:
        self.config = config
        self._reader = reader
        self._tell = tell
        self._clock = clock
        self._asked = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._loop = asyncio.create_task(self._run(), name=f"watch {config.id}")

    def ask(self) -> None:
        """Read as soon as possible; a reading in flight may be too old, so another follows it."""
        self._asked.set()

    async def read(self) -> None:
        """One whole reading, or the rest of the one in flight."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read(), name=f"read {self.config.id}")
        await asyncio.shield(self._reading)

    async def stop(self) -> None:
        """No more readings; what is in flight is broken off and told to nobody."""
        tasks = [task for task in (self._loop, self._reading) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            self._asked.clear()
            await self._guarded()
            with suppress(TimeoutError):
                async with asyncio.timeout(current(Liveness).poll_interval):
                    await asyncio.sleep(LEAST_GAP)
                    await self._asked.wait()

    async def _guarded(self) -> None:
        try:
            await self.read()
        except Exception:
            log.exception("reading node %s failed; it is read again in a while", self.config.name)

    async def _read(self) -> None:
        report = await self._report(current(Liveness).poll_timeout)
        await self._tell(self.config, report)

    async def _report(self, limit: float) -> NodeReport:
        """What the node says. One that is only slow may be busy: that alone makes it neither dead nor unreachable."""
        try:
            if self.config.credential:
                return await self._reader.probe(limit)
            return await self._reader.read(self._clock(), limit)
        except EngineTrouble as trouble:
            return NodeReport(reachable=False, trouble=trouble.message)
        except TimeoutError:
            return NodeReport(trouble=words("timed_out", self.config.url, self.config.engine, f"{limit:g}"))
