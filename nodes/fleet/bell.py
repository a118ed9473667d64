"""News for one sleeper, kept until heard."""

import asyncio


class Bell:
    """Rings for one ticket's owner. A ring that nobody hears yet is heard by the next who listens."""

    __slots__ = ("_rung", "_sleeper")

    def __init__(self) -> None:
        self._rung = False
        self._sleeper: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """There is news."""
        self._rung = True
        if self._sleeper is not None:
            _wake(self._sleeper)

    async def heard(self, timeout: float) -> None:
        """Return at the next ring, at once if one is waiting, or after `timeout` seconds."""
        if not self._rung:
            await self._sleep(timeout)
        self._rung = False

    async def _sleep(self, timeout: float) -> None:
        loop = asyncio.get_running_loop()
        self._sleeper = sleeper = loop.create_future()
        alarm = loop.call_later(timeout, _wake, sleeper)
        try:
            await sleeper
        finally:
            alarm.cancel()
            self._sleeper = None


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
