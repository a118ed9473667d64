"""Decisions written behind the traffic, on a real database."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from django.db import connection

from nodes.fleet.owner import OWNER
from nodes.lib.background import behind
from routing import ledger
from routing.journal import Journal
from routing.notebook import BATCH, Notebook, size
from tests.routing.records import record, running_journal, stored, trace, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batches(monkeypatch) -> list[int]:
    """The sizes of the batches that were written."""
    sizes: list[int] = []
    write = ledger.write
    monkeypatch.setattr(ledger, "write", lambda rows: sizes.append(len(rows)) or write(rows))
    return sizes


@asynccontextmanager
async def locked() -> AsyncIterator[None]:
    """Meanwhile somebody else writes to the database and does not end."""
    await behind(lambda: connection.cursor().execute("PRAGMA busy_timeout = 20"))
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()
        await behind(lambda: connection.cursor().execute("PRAGMA busy_timeout = 5000"))


async def test_a_burst_of_a_thousand_short_requests_is_a_thousand_rows():
    async with running_journal() as journal:
        for _ in range(1000):
            journal.notebook.note(trace())
    assert len(await stored(outcome="completed")) == 1000


async def test_a_burst_of_a_thousand_short_requests_is_two_batches(batches):
    async with running_journal() as journal:
        for _ in range(1000):
            journal.notebook.note(trace())
    assert batches == [BATCH, BATCH]


async def test_what_is_noted_is_written_without_being_asked_for():
    async with running_journal() as journal:
        journal.notebook.note(trace())
        await until(lambda: not journal.notebook.live())
        assert len(await stored()) == 1


async def test_a_long_request_is_a_row_without_outcome_while_it_runs():
    async with running_journal() as journal:
        journal.notebook.note(trace(done=False, node="studio"))
        await journal.flush()
        assert [(row["node"], row["outcome"]) for row in await stored()] == [("studio", None)]


async def test_a_long_request_completes_its_row_when_it_ends():
    request = trace(done=False)
    async with running_journal() as journal:
        journal.notebook.note(request)
        await journal.flush()
        request.done = True
        request.columns["total_ms"] = 12.5
        journal.notebook.note(request)
    assert [(row["outcome"], row["total_ms"]) for row in await stored()] == [("completed", 12.5)]


async def test_a_locked_database_keeps_the_rows_waiting():
    async with running_journal() as journal, locked():
        journal.notebook.note(trace())
        assert (await journal.flush(), len(journal.notebook.live())) == (False, 1)


async def test_rows_that_a_locked_database_refused_are_written_once_it_is_free():
    async with running_journal() as journal:
        async with locked():
            journal.notebook.note(trace())
            await journal.flush()
        await until(lambda: not journal.notebook.live())
        assert len(await stored()) == 1


async def test_what_a_locked_database_leaves_over_the_bound_is_dropped_and_counted():
    async with running_journal(most=10 * size(trace().row())) as journal, locked():
        for _ in range(30):
            journal.notebook.note(trace())
        await journal.flush()
        assert (len(journal.notebook.live()), journal.notebook.dropped) == (10, 20)


async def test_trouble_with_the_database_is_logged_once_a_minute(caplog):
    async with running_journal() as journal, locked():
        journal.notebook.note(trace())
        await journal.flush()
        await journal.flush()
        assert [line.message.split(" (")[0] for line in caplog.records] == ["the database takes no decisions"]


async def test_one_row_that_no_table_takes_does_not_hold_up_the_others():
    async with running_journal() as journal:
        journal.notebook.note(trace(stream=None))
        journal.notebook.note(trace())
        await journal.flush()
        assert (len(await stored()), journal.notebook.dropped) == (1, 1)


async def test_what_a_dead_process_left_open_is_interrupted_at_start():
    await behind(record, outcome=None, process="1-dead")
    async with running_journal():
        assert [row["outcome"] for row in await stored()] == ["interrupted"]


async def test_what_this_process_runs_is_not_interrupted():
    await behind(record, outcome=None, process=OWNER)
    async with running_journal():
        assert [row["outcome"] for row in await stored()] == [None]


async def test_what_had_its_outcome_keeps_it_at_start():
    await behind(record, outcome="client_gone", process="1-dead")
    async with running_journal():
        assert [row["outcome"] for row in await stored()] == ["client_gone"]


async def test_a_journal_that_never_started_stops_without_ado():
    await Journal(Notebook()).stop()
