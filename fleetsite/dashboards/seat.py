"""One reader's place at the live dashboard: never more than one message waits here."""

import asyncio
from collections.abc import Callable


class Seat:
    """Who was too slow for a change gets the whole picture next, as it then is."""

    def __init__(self, whole: Callable[[], str]) -> None:
        self._whole = whole
        self._next: str | None = None
        self._behind = True  # a new reader has seen nothing
        self._news = asyncio.Event()
        self._news.set()

    def offer(self, change: str) -> None:
        """A change; dropped if another one still waits."""
        self._behind = self._behind or self._next is not None
        self._next = None if self._behind else change
        self._news.set()

    async def take(self) -> str:
        """The next message, as soon as there is one."""
        await self._news.wait()
        self._news.clear()
        message = self._next
        if self._behind or message is None:
            message = self._whole()
        self._behind, self._next = False, None
        return message
