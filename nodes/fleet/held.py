"""Requests that wait for some node to become able to serve them, in one process."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nodes.core.values import Ticket
from nodes.fleet.bell import Bell

COALESCE_SECONDS = 0.1


class Kind(NamedTuple):
    """What a held request waits for; of two of a kind the later can be served only if the earlier can."""

    models: tuple[str, ...]
    needs: frozenset[str]


class HeldRequests:
    """The longest held first. Many events within 100 ms are one piece of news.

    News goes to the first of each kind, and on to the next when that one is held no longer: a crowd never looks at
    the fleet all at once.
    """

    def __init__(self) -> None:
        self._held: dict[str, tuple[Bell, Kind]] = {}
        self._stirred: set[str] = set()

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, ticket_id: str) -> bool:
        return ticket_id in self._held

    def put(self, ticket: Ticket, bell: Bell, models: Sequence[str]) -> None:
        """Wait for one of these models; who is held already keeps the place."""
        self._held[ticket.id] = bell, Kind(tuple(models), ticket.needs)

    def discard(self, ticket_id: str) -> None:
        """Held no longer: the next of its kind may be served too."""
        if ticket_id in self._held:
            _, kind = self._held.pop(ticket_id)
            self._tell_first(kind)

    def stir(self, models: Iterable[str]) -> None:
        """Something happened to these models: within 100 ms the first of each kind that waits for one is told, once."""
        if not self._held:
            return
        first = not self._stirred
        self._stirred.update(models)
        if first and self._stirred:
            asyncio.get_running_loop().call_later(COALESCE_SECONDS, self._tell)

    def _tell(self) -> None:
        stirred, self._stirred = self._stirred, set()
        told: set[Kind] = set()
        for bell, kind in self._held.values():
            if kind not in told and not stirred.isdisjoint(kind.models):
                told.add(kind)
                bell.ring()

    def _tell_first(self, kind: Kind) -> None:
        first = next((bell for bell, other in self._held.values() if other == kind), None)
        if first is not None:
            first.ring()
