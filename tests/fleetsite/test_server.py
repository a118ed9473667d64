"""How the server starts and stops."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fleetsite import server as module
from fleetsite.binding import listen
from fleetsite.server import Server, StartFailed
from nodes.lib.live import current, install
from routing.core.parameters import FailurePolicy


class Application:
    """Streams `one`, then, when it may go on, `two`."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.story: list[str] = []
        self.headers: list[tuple[bytes, bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await self.live(receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await self.go_on.wait()
        await send({"type": "http.response.body", "body": b"two"})
        self.story.append("answered")
        return None

    async def live(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.story.append("lifespan ends")
        await send({"type": "lifespan.shutdown.complete"})


class Running:
    """A server on a free port, in this loop."""

    def __init__(self, application: Any) -> None:
        self.listening = listen("127.0.0.1", 0)
        self.address = self.listening.getsockname()
        self.ready = asyncio.Event()
        self.server = Server(application, self.ready.set)
        self.task = asyncio.create_task(self.server.serve([self.listening]))

    async def ask(self) -> asyncio.StreamReader:
        reader, self.writer = await asyncio.open_connection(*self.address)
        self.writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.wait_for(reader.readuntil(b"one"), 10)
        return reader

    async def stop(self) -> None:
        self.server.should_exit = True
        await asyncio.wait_for(self.task, 20)


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
async def running(application: Application, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    monkeypatch.setattr(module, "stop_accepting", lambda: application.story.append("accepts no more"))
    before = current(FailurePolicy)
    running = Running(application)
    await asyncio.wait_for(running.ready.wait(), 10)
    yield running
    application.go_on.set()
    await running.stop()
    running.listening.close()
    install(before)


async def test_a_stream_in_flight_is_finished_before_anything_stops(running: Running, application: Application) -> None:
    reader = await running.ask()
    stopping = asyncio.create_task(running.stop())
    while not application.story:
        await asyncio.sleep(0.01)
    application.go_on.set()
    assert b"two" in await asyncio.wait_for(reader.read(), 10)
    await stopping
    assert application.story == ["accepts no more", "answered", "lifespan ends"]
    running.writer.close()


async def test_a_stream_that_does_not_end_is_broken_off_after_the_drain(
    running: Running, application: Application
) -> None:
    install(FailurePolicy(drain=0))
    reader = await running.ask()
    await running.stop()
    assert b"two" not in await asyncio.wait_for(reader.read(), 10)
    assert application.story == ["accepts no more", "lifespan ends"]
    running.writer.close()


async def test_that_it_stops_is_a_line_in_the_log(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fleetsite.server")
    install(FailurePolicy(drain=7))
    await running.stop()
    assert caplog.messages == ["stopping: no more requests are taken; what runs has 7 s to finish"]


async def test_it_does_not_name_its_software(running: Running, application: Application) -> None:
    reader, writer = await asyncio.open_connection(*running.address)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    assert b"server:" not in head.lower()
    writer.close()


async def test_a_stream_to_an_http_1_0_client_comes_as_it_is_and_ends_with_the_connection(
    running: Running, application: Application
) -> None:
    reader, writer = await asyncio.open_connection(*running.address)
    writer.write(b"GET / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
    head, begun = (await asyncio.wait_for(reader.readuntil(b"one"), 10)).split(b"\r\n\r\n")
    application.go_on.set()
    assert (begun, await asyncio.wait_for(reader.read(), 10)) == (b"one", b"two")
    assert b"transfer-encoding" not in head.lower() and b"connection: close" in head.lower()
    writer.close()


async def test_an_answer_of_known_length_keeps_it_for_an_http_1_0_client(
    running: Running, application: Application
) -> None:
    application.headers = [(b"content-length", b"6")]
    application.go_on.set()
    reader, writer = await asyncio.open_connection(*running.address)
    writer.write(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
    head, _, body = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
    assert (b"content-length: 6" in head.lower(), body) == (True, b"onetwo")
    writer.close()


async def test_a_lifespan_that_fails_is_a_start_that_failed() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no such thing"})

    failed = Running(broken)
    with pytest.raises(StartFailed):
        await failed.task
    failed.listening.close()
