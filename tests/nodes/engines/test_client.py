"""The door to engines: what comes back, and what is said when nothing does."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, web

from nodes.engines.client import MOST_MB, EngineTrouble, fetcher, inventory, session
from nodes.lib.live import current
from nodes.lib.mark import VIA, RouterMark
from nodes.simulated import SimulatedNode
from tests.nodes.parts import Engine


@pytest.fixture
async def client() -> AsyncIterator[ClientSession]:
    async with session() as opened:
        yield opened


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


async def trouble(client: ClientSession, url: str, engine: str = "ollama") -> str:
    with pytest.raises(EngineTrouble) as raised:
        inventory(await fetcher(client, url, engine)("/api/version"), url, engine, "/api/version")
    return str(raised.value)


async def test_a_good_answer_is_its_json(client: ClientSession) -> None:
    async with Engine({"/x": {"a": 1}}) as engine:
        assert (await fetcher(client, engine.url, "ollama")("/x")).json() == {"a": 1}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_refused_connection_says_that_nothing_listens(client: ClientSession, host: str) -> None:
    assert (await trouble(client, f"http://{host}:{free_port()}")).startswith("Nothing listens on")


async def test_a_name_that_nobody_knows_is_said_to_be_unknown(client: ClientSession) -> None:
    assert "node.invalid is not known" in await trouble(client, "http://node.invalid:1")


async def test_a_redirect_is_not_followed_but_named(client: ClientSession) -> None:
    moved = web.Response(status=302, headers={"Location": "http://elsewhere/"})
    async with Engine({"/api/version": moved}) as engine:
        assert "redirects to http://elsewhere/" in await trouble(client, engine.url)
        assert engine.calls == ["GET /api/version"]


async def test_a_web_page_is_no_engine(client: ClientSession) -> None:
    page = web.Response(body=b"<html>Router login</html>", headers={"Content-Type": "text/html"})
    async with Engine({"/api/version": page}) as engine:
        assert "is not an Ollama: its answer to /api/version is no JSON object" in await trouble(client, engine.url)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "it wants a key"),
        (403, "does not take this name"),
        (404, "404 to /api/version"),
        (502, "502 to"),
        (508, "is this router itself"),
    ],
)
async def test_a_bad_status_says_what_it_means(client: ClientSession, status: int, says: str) -> None:
    async with Engine({"/api/version": (status, {})}) as engine:
        assert says in await trouble(client, engine.url)


async def test_an_endless_answer_is_cut_off(client: ClientSession) -> None:
    flood = web.Response(body=b"x" * (MOST_MB * 1_000_000 + 1))
    async with Engine({"/api/version": flood}) as engine:
        assert f"more than {MOST_MB} MB" in await trouble(client, engine.url)


async def raw(answer: bytes) -> asyncio.Server:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    return await asyncio.start_server(speak, "127.0.0.1", 0)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"", "closed it without an answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "it does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "closed it without an answer"),
    ],
    ids=["nothing", "ssh", "half an answer"],
)
async def test_a_server_of_another_kind_is_named_in_plain_words(
    client: ClientSession, answer: bytes, says: str
) -> None:
    async with await raw(answer) as server:
        port = server.sockets[0].getsockname()[1]
        assert says in await trouble(client, f"http://127.0.0.1:{port}")


async def test_https_where_http_is_spoken_is_a_question_of_trust(client: ClientSession) -> None:
    async with Engine({}) as engine:
        assert "is not trusted" in await trouble(client, engine.url.replace("http:", "https:"))


async def test_proxies_of_the_environment_are_not_used(client: ClientSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    async with Engine({"/x": {}}) as engine:
        assert (await fetcher(client, engine.url, "ollama")("/x")).status == 200


def test_ssl_errors_are_operating_system_errors() -> None:
    """The order of the table of causes depends on it."""
    assert issubclass(ssl.SSLError, OSError)


async def test_a_reading_says_which_router_reads(client: ClientSession) -> None:
    engine = SimulatedNode("acme:7b=4")
    await engine.start()
    await fetcher(client, engine.url, "ollama")("/api/version")
    assert engine.seen.received[-1].headers[VIA.lower()] == current(RouterMark).value
    await engine.stop()
