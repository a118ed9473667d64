"""One drawing for all who look, and none while nobody does."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from fleetsite.dashboards import hub as module
from fleetsite.dashboards.hub import Hub
from nodes.lib.background import behind
from nodes.lib.broadcast import broadcast
from routing.notebook import Notebook
from tests.fleetsite.dashboards.conftest import machine, running
from tests.routing.records import record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def notes():
    return Notebook()


@pytest.fixture
async def hub(live, notes, monkeypatch):
    """A hub that draws as soon as it can."""
    monkeypatch.setattr(module, "TICK", 0.001)
    await live.put_node(machine("studio"))
    hub = Hub(notes)
    yield hub
    for seat in list(hub._seats):
        hub.leave(seat)


async def told(seat, of):
    """The next message that has this part."""
    async with asyncio.timeout(10):
        while True:
            message = json.loads(await seat.take())
            if of in message:
                return message


async def test_who_joins_gets_the_whole_picture(hub):
    message = json.loads(await hub.join().take())
    assert (message["kind"], [node["id"] for node in message["nodes"]]) == ("picture", ["studio"])


async def test_a_node_that_changes_is_told_alone(hub, live):
    await live.put_node(machine("tower"))
    seat = hub.join()
    await seat.take()
    await live.put_node(machine("tower", paused=True))
    message = await told(seat, "nodes")
    assert (message["kind"], [node["state"] for node in message["nodes"]]) == ("change", ["paused"])


async def test_another_set_of_nodes_is_another_picture(hub, live):
    seat = hub.join()
    await seat.take()
    await live.drop_node("studio")
    message = await told(seat, "nodes")
    assert (message["kind"], message["nodes"]) == ("picture", [])


async def test_a_request_is_told_when_it_is_noted(hub, notes):
    seat = hub.join()
    await seat.take()
    notes.note(trace := running())
    assert [line["id"] for line in (await told(seat, "decisions"))["decisions"]] == [trace.id]


async def test_who_comes_later_sees_the_lines_of_before(hub, notes):
    early = hub.join()
    await early.take()
    notes.note(trace := running())
    await told(early, "decisions")
    assert [line["id"] for line in json.loads(await hub.join().take())["decisions"]] == [trace.id]


async def test_something_is_said_even_when_nothing_happens(hub, monkeypatch):
    monkeypatch.setattr(module, "TILES_EVERY", 0.01)
    seat = hub.join()
    await seat.take()
    assert (await told(seat, "tiles"))["tiles"]["running"] == 0


async def test_what_ended_before_anybody_looked_is_in_the_figures(hub, monkeypatch):
    monkeypatch.setattr(module, "TILES_EVERY", 0.01)
    moment = datetime.now(UTC) - timedelta(seconds=20)
    await behind(partial(record, at=moment, total_ms=1000.0))
    seat = hub.join()
    while (message := await told(seat, "tiles"))["tiles"]["total_ms"] == [None, None]:
        pass
    assert message["tiles"]["total_ms"] == [1000.0, 1000.0]


async def test_a_load_that_is_broadcast_shows_on_its_node(hub):
    seat = hub.join()
    await seat.take()
    await told(seat, "tiles")  # by now it listens
    broadcast("load_began", {"node": "studio", "model": "acme:7b"})
    assert (await told(seat, "nodes"))["nodes"][0]["state"] == "loading acme:7b"


async def test_all_readers_get_the_same_text(hub, live):
    seats = [hub.join(), hub.join()]
    for seat in seats:
        await seat.take()
    await live.put_node(replace(machine("studio"), paused=True))
    one, other = [await told(seat, "nodes") for seat in seats]
    assert one == other


async def test_nobody_hears_of_requests_while_nobody_looks(hub, notes):
    hub.leave(hub.join())
    assert notes.listeners == []


async def test_the_last_to_leave_ends_the_drawing(hub):
    first, last = hub.join(), hub.join()
    hub.leave(first)
    tasks = hub._drawing._work
    hub.leave(last)
    await asyncio.wait(tasks, timeout=10)
    assert all(task.done() for task in tasks)


async def test_a_drawing_that_fails_is_tried_again(hub, live, monkeypatch, caplog):
    seat, cards, failures = hub.join(), module.cards, [RuntimeError("once")]
    await seat.take()
    monkeypatch.setattr(module, "cards", lambda scene: _raise(failures.pop()) if failures else cards(scene))
    await live.put_node(machine("studio", paused=True))
    assert (await told(seat, "nodes"))["nodes"][0]["state"] == "paused"


def _raise(error):
    raise error
