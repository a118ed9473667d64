"""What the tests of records share: traces, rows, a journal that runs, the database thread."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.test import Client

from nodes.lib.background import behind
from routing import ledger
from routing.journal import Journal
from routing.models import RoutingDecision
from routing.notebook import MOST, Notebook

START = 1_700_000_000.0
_numbers = count()


@dataclass
class FakeTrace:
    """A trace that says what a test wants."""

    id: str
    done: bool = True
    columns: dict[str, object] = field(default_factory=dict)

    def row(self) -> Mapping[str, object]:
        return row(self.id, **({"outcome": "completed" if self.done else None} | self.columns))


def new_id() -> str:
    """An id that sorts after all before it."""
    return f"{next(_numbers):032x}"


def trace(done: bool = True, **columns: object) -> FakeTrace:
    """A trace of a new request."""
    return FakeTrace(new_id(), done, columns)


def row(decision: str, **columns: object) -> dict[str, object]:
    """The columns of one completed request."""
    usual: dict[str, object] = {"at": START, "dialect": "ollama", "path": "/api/chat", "requested_model": "llama3:8b"}
    return {"id": decision} | usual | columns


def record(**columns: object) -> str:
    """A decision in the table; its id."""
    decision = new_id()
    ledger.write([row(decision, outcome="completed") | columns])
    return decision


def here() -> Client:
    """A client on this machine, which calls the server by its address."""
    return Client(headers={"host": "127.0.0.1"})


async def stored(**conditions: object) -> list[dict[str, Any]]:
    """The rows of the table, oldest first."""
    return await behind(lambda: list(RoutingDecision.objects.filter(**conditions).order_by("id").values()))


@asynccontextmanager
async def running_journal(most: int = MOST) -> AsyncIterator[Journal]:
    """A journal of its own that is stopped at the end."""
    journal = Journal(Notebook(most))
    await journal.start()
    try:
        yield journal
    finally:
        await journal.stop()


async def until(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until something holds; AssertionError after so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        await asyncio.sleep(0.01)
