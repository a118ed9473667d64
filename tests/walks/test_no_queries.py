"""Requests and heartbeats ask the database nothing: on the serving loop never, elsewhere only the journal writes."""

import asyncio
import re
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import aiohttp
import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import running
from routing.journal import INTERVAL
from routing.notebook import BATCH
from tests.conftest import Router, until
from tests.nodes.recorded import HEARTBEAT
from tests.walks.doors_asking import add

MANY, AT_ONCE = 1000, 32
LOOP = "MainThread"
CHAT = {"model": "phi4", "messages": [{"role": "user", "content": "Hi"}], "stream": False}
# What goes on without any request, so many times a second: the look for changes, and what jobs keep each minute.
UNASKED = {"nodes_changecounter": 1.0, "routing_latencyhistory": 0.1}
JOURNAL = "INSERT INTO routing_routingdecision"


class Watched(Router):
    """A router that writes down its statements."""

    def command(self, *words: str) -> list[str]:
        """As `manage.py`, watched."""
        _, _, *rest = super().command(*words)
        return [sys.executable, "-m", "tests.walks.watched", *rest] if words[0] == "serve" else super().command(*words)

    @property
    def statements(self) -> list[tuple[str, str]]:
        """Every statement so far: its thread, its beginning without quotes."""
        lines = Path(self.env["WATCHED"]).read_text().splitlines()
        return [(thread, sql.replace('"', "")) for thread, _, sql in (line.partition("\t") for line in lines)]

    def decisions(self) -> int:
        """How many are in the database, seen from outside."""
        with closing(sqlite3.connect(self.data / "fleet.sqlite3")) as database:
            row: tuple[int] = database.execute(
                "SELECT count(*) FROM routing_routingdecision WHERE outcome = 'completed'"
            ).fetchone()
            return row[0]


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A watched router with an agentless node and one that an agent reports."""
    folder = tmp_path_factory.mktemp("watched")
    with ExitStack() as stack:
        mini, studio = (stack.enter_context(running(SimulatedNode("phi4=9.1", Machine(parallel=8)))) for _ in "ab")
        router = Watched(folder / "data", WATCHED=str(folder / "statements"))
        stack.callback(router.end)
        add(router, ("mini", mini.url, "ollama"), ("studio", studio.url, "ollama"))
        yield router


async def many(act: Callable[[aiohttp.ClientSession, int], Awaitable[int]]) -> Counter[int]:
    """The statuses of MANY acts, AT_ONCE at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(session: aiohttp.ClientSession, number: int) -> int:
        async with gate:
            return await act(session, number)

    async with aiohttp.ClientSession() as session:
        return Counter(await asyncio.gather(*(one(session, number) for number in range(MANY))))


def asked_elsewhere(statements: list[tuple[str, str]]) -> Counter[str]:
    """How often each table was asked; the beginning of a transaction is none."""
    tables = (re.search(r"(?:FROM|INTO|UPDATE) (\w+)", sql) for _, sql in statements)
    return Counter(table[1] for table in tables if table)


def only_unasked(tables: Counter[str], seconds: float) -> bool:
    """Is this what would have gone on anyhow?"""
    return all(number <= UNASKED.get(table, 0) * seconds + 3 for table, number in tables.items())


def test_a_thousand_requests_are_journal_batches_and_nothing_else(router: Watched) -> None:
    async def chat(session: aiohttp.ClientSession, number: int) -> int:
        async with session.post(f"{router.url}/api/chat", json=CHAT) as answer:
            await answer.read()
            return answer.status

    before, recorded, began = len(router.statements), router.decisions(), time.monotonic()
    assert asyncio.run(many(chat)) == {200: MANY}
    until(lambda: router.decisions() == recorded + MANY)
    seconds, told = time.monotonic() - began, router.statements[before:]
    assert [sql for thread, sql in told if thread == LOOP] == []
    tables = asked_elsewhere(told)
    assert 1 <= tables.pop("routing_routingdecision") <= seconds / INTERVAL + MANY / BATCH + 3
    assert all(sql.startswith(JOURNAL) for _, sql in told if "routing_routingdecision" in sql)
    assert only_unasked(tables, seconds), tables


def test_a_thousand_heartbeats_of_a_known_node_ask_nothing(router: Watched) -> None:
    credential = router.manage("node", "credential", "studio").stdout.strip()
    headers = {"Authorization": f"Bearer {credential}"}

    async def beat(session: aiohttp.ClientSession, number: int) -> int:
        said = HEARTBEAT | {"node": "studio", "sequence": number}
        async with session.post(f"{router.url}/fleet/api/v1/heartbeat", json=said, headers=headers) as answer:
            await answer.read()
            return answer.status

    async def known() -> bool:
        async with aiohttp.ClientSession() as session:
            return await beat(session, 0) == 200

    until(lambda: asyncio.run(known()))
    before, began = len(router.statements), time.monotonic()
    assert asyncio.run(many(beat)) == {200: MANY}
    seconds, told = time.monotonic() - began, router.statements[before:]
    assert [sql for thread, sql in told if thread == LOOP] == []
    assert only_unasked(asked_elsewhere(told), seconds), told
