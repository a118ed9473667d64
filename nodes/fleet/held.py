"""Requests that wait for some node to become able to serve them, in one process."""

import asyncio
from collections.abc import Iterable

from nodes.fleet.bell import Bell

COALESCE_SECONDS = 0.1


class HeldRequests:
    """The longest held first. Many events within 100 ms are one piece of news."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Bell, frozenset[str]]] = {}
        self._stirred: set[str] = set()

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, ticket_id: str) -> bool:
        return ticket_id in self._held

    def put(self, ticket_id: str, bell: Bell, models: Iterable[str]) -> None:
        """Wait for one of these models; who is held already keeps the place."""
        self._held[ticket_id] = (bell, frozenset(models))

    def discard(self, ticket_id: str) -> None:
        """Held no longer."""
        self._held.pop(ticket_id, None)

    def stir(self, models: Iterable[str]) -> None:
        """Something happened to these models: within 100 ms whoever waits for one of them is told, once."""
        if not self._held:
            return
        first = not self._stirred
        self._stirred.update(models)
        if first and self._stirred:
            asyncio.get_running_loop().call_later(COALESCE_SECONDS, self._tell)

    def _tell(self) -> None:
        stirred, self._stirred = self._stirred, set()
        for bell, models in self._held.values():
            if not stirred.isdisjoint(models):
                bell.ring()
