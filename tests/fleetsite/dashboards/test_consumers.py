"""The live dashboard's WebSocket: who gets in, and what a bad or slow reader can do."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import AsyncClient
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from fleetsite import asgi
from fleetsite.dashboards import consumers
from fleetsite.dashboards.hub import hub
from nodes.lib.background import behind
from tests.conftest import Router

HERE, ELSEWHERE = ("127.0.0.1", 50000), ("192.168.1.7", 50000)


@asynccontextmanager
async def page(client=HERE, headers=()):
    """An open page of our own."""
    origin = [(b"origin", b"http://localhost:11435"), (b"host", b"localhost:11435")]
    socket = WebsocketCommunicator(asgi.application, "/fleet/live", headers=[*origin, *headers])
    socket.scope["client"] = client
    await socket.connect(timeout=5)
    try:
        yield socket
    finally:
        await socket.disconnect()


async def closing(socket):
    """The code with which the server closes."""
    while (message := await socket.receive_output(timeout=5))["type"] != "websocket.close":
        pass
    return message["code"]


@pytest.fixture
def _tables(live, transactional_db):
    """A fleet and a database."""


inside = pytest.mark.usefixtures("_tables")


@inside
async def test_this_machine_gets_the_picture():
    async with page() as socket:
        assert json.loads(await socket.receive_from(timeout=5))["kind"] == "picture"


@inside
async def test_after_it_was_drawn_the_changes_come():
    async with page() as socket:
        await socket.receive_from(timeout=5)
        await socket.send_to("drawn")
        assert json.loads(await socket.receive_from(timeout=5))["kind"] == "change"


@inside
async def test_nothing_more_is_sent_before_it_was_drawn():
    async with page() as socket:
        await socket.receive_from(timeout=5)
        assert await socket.receive_nothing(timeout=0.7)


@inside
@pytest.mark.parametrize(
    ("client", "headers"),
    [(ELSEWHERE, ()), (None, ()), (HERE, [(b"x-forwarded-for", b"192.168.1.7")]), (HERE, [(b"forwarded", b"for=a")])],
)
async def test_from_elsewhere_nobody_reads_without_a_session(client, headers):
    async with page(client, headers) as socket:
        assert await closing(socket) == 4401


@inside
async def test_from_elsewhere_a_session_is_enough():
    browser = AsyncClient()
    await browser.aforce_login(await behind(User.objects.create_user, "ada"))
    cookie = f"sessionid={browser.cookies['sessionid'].value}".encode()
    async with page(ELSEWHERE, [(b"cookie", cookie)]) as socket:
        assert json.loads(await socket.receive_from(timeout=5))["kind"] == "picture"


@inside
@pytest.mark.parametrize("said", ["", "drawn!", '{"drawn": true}', "x" * 60000, b"drawn", b"\x00\xff"], ids=range(6))
async def test_garbage_closes_with_4400(said):
    async with page() as socket:
        kind = "bytes" if isinstance(said, bytes) else "text"
        await socket.send_input({"type": "websocket.receive", kind: said})
        assert await closing(socket) == 4400


@inside
async def test_who_was_turned_away_is_told_only_once():
    async with page(ELSEWHERE) as socket:
        await closing(socket)
        await socket.send_to("drawn")
        assert await socket.receive_nothing()


@inside
async def test_who_never_draws_is_let_go(monkeypatch):
    monkeypatch.setattr(consumers, "PATIENCE", 0.05)
    async with page() as socket:
        assert await closing(socket) == 4408
    assert len(hub) == 0


@inside
async def test_beyond_a_hundred_there_is_no_place(monkeypatch):
    monkeypatch.setattr(consumers, "MOST_READERS", 1)
    async with page() as first, page() as second:
        await first.receive_from(timeout=5)
        assert await closing(second) == 4429


@inside
async def test_a_page_that_is_closed_leaves_its_place():
    async with page() as socket:
        await socket.receive_from(timeout=5)
    async with asyncio.timeout(5):
        while len(hub):
            await asyncio.sleep(0.01)


def live_url(router: Router) -> str:
    return router.url.replace("http", "ws") + "/fleet/live"


async def test_a_real_server_keeps_a_real_reader_up_to_date(module_router):
    async with connect(live_url(module_router), origin=module_router.url) as socket:
        kinds = []
        for _ in range(3):
            kinds.append(json.loads(await asyncio.wait_for(socket.recv(), 10))["kind"])
            await socket.send("drawn")
    assert kinds == ["picture", "change", "change"]


@pytest.mark.parametrize("origin", ["http://evil.com", None])
async def test_a_real_server_refuses_a_foreign_page(module_router, origin):
    with pytest.raises(InvalidStatus) as refusal:
        await connect(live_url(module_router), origin=origin)
    assert refusal.value.response.status_code == 403


async def test_a_real_server_tells_a_stranger_to_sign_in(module_router):
    stranger = {"X-Forwarded-For": "192.168.1.7"}
    async with connect(live_url(module_router), origin=module_router.url, additional_headers=stranger) as socket:
        await socket.wait_closed()
        assert socket.close_code == 4401


async def test_a_real_server_does_not_take_a_huge_message(module_router):
    async with connect(live_url(module_router), origin=module_router.url) as socket:
        await socket.send("x" * 100_000)
        await socket.wait_closed()
        assert socket.close_code == 1009
