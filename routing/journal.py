"""Writes decisions behind the traffic, in batches: the only writer of their table."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence

from nodes.lib.background import behind
from routing import ledger
from routing.notebook import BATCH, Notebook, Noted, notebook

log = logging.getLogger(__name__)
INTERVAL = 0.25  # seconds a row waits for company, at most
LAST_TRIES = 3  # how often, at the end, a database that takes nothing is asked again
COMPLAIN_EVERY = 60.0  # seconds between two lines about the same trouble


class Journal:
    """Brings what the serving loop notes into the database; a request shorter than a batch is one insert."""

    def __init__(self, notes: Notebook) -> None:
        self.notebook = notes
        self._task: asyncio.Task[None] | None = None
        self._complained = float("-inf")

    async def start(self) -> None:
        """Close what a dead process left open, then write whatever is noted."""
        self._full = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self.notebook.on_full = self._full.set
        left = await behind(ledger.interrupt)
        if left:
            log.info("%d requests of an earlier process were marked as interrupted", left)
        self._task = asyncio.create_task(self._keep_writing())

    async def stop(self) -> None:
        """Write all that is noted, and stop."""
        if self._task is None:
            return
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._task = None
        for _ in range(LAST_TRIES):
            if await self.flush():
                return
            await asyncio.sleep(INTERVAL)
        log.error("%d decisions are lost: the database took none of them until the end", len(self.notebook))

    async def flush(self) -> bool:
        """Write all that is noted now; False if the database took it not: it is kept for the next time."""
        async with self._one_at_a_time:
            self._full.clear()
            for _ in range(-(-len(self.notebook) // BATCH)):
                if not await self._write(self.notebook.take()):
                    return False
            return True

    async def _keep_writing(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), INTERVAL)
            if not await self.flush():
                await asyncio.sleep(INTERVAL)

    async def _write(self, batch: Sequence[Noted]) -> bool:
        written = False
        try:
            self.notebook.dropped += await behind(ledger.write, [noted.columns for noted in batch])
            written = True
        except Exception as error:  # whatever the database says, the traffic goes on
            self._complain(error)
        finally:
            self._settle(batch, written)
        return written

    def _settle(self, batch: Sequence[Noted], written: bool) -> None:
        if written:
            self.notebook.written()
        else:
            self.notebook.put_back(batch)

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._complained < COMPLAIN_EVERY:
            return
        self._complained = time.monotonic()
        log.error(
            "the database takes no decisions (%s): %d wait in memory, %d were dropped so far",
            error,
            len(self.notebook),
            self.notebook.dropped,
        )


journal = Journal(notebook)
