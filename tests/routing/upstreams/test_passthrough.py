"""An engine's bytes on their way through, and the clocks that watch over them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nodes.core.values import DiskModel
from nodes.lib.live import install
from nodes.simulated import SimulatedNode
from routing.core.parameters import FailurePolicy
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.upstreams import Head, passthrough, upstream_for
from routing.upstreams.passthrough import load_seconds
from tests.conftest import free_port
from tests.routing.factories import MODEL, node, request
from tests.routing.upstreams.conftest import Start

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
WEATHER = [{"role": "user", "content": "What is the weather in Toronto?"}]
PATHS = ["/api/chat", "/v1/chat/completions"]
paths = pytest.mark.parametrize("path", PATHS)
ways = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


async def answer(engine: SimulatedNode, asked: InferenceRequest) -> tuple[int, bytes]:
    """Status and bytes as a client would get them."""
    status, content = 0, b""
    async for part in upstream_for(known(engine.url)).stream(known(engine.url), asked, MODEL, never):
        if isinstance(part, Head):
            status, content = part.status, part.body or b""
        else:
            content += part
    return status, content


def never() -> bool:
    """No terminal line has passed."""
    return False


def known(url: str) -> Any:
    """The engine's node."""
    return node(url=url)


@asynccontextmanager
async def limits(**changed: float) -> AsyncIterator[None]:
    """Other clocks than usual."""
    install(FailurePolicy(**changed))
    yield
    install(FailurePolicy())


@paths
@ways
async def test_an_answer_comes_out_as_the_engine_wrote_it(start: Start, path: str, stream: bool) -> None:
    engine, written = await start(), b'{"odd" :  "bytes \xc3\xa9",\n"finish_reason":"length"}\n\n'
    engine.faults.answer(200, written)
    assert await answer(engine, request(path, stream=stream)) == (200, written)


@paths
@ways
async def test_the_call_of_a_tool_reaches_the_client(start: Start, path: str, stream: bool) -> None:
    asked = request(path, stream=stream, messages=WEATHER, tools=[TOOL])
    assert b'"get_weather"' in (await answer(await start(), asked))[1]


@pytest.mark.parametrize(
    ("path", "limit", "reason"),
    [
        ("/api/chat", {"options": {"num_predict": 3}}, b'"done_reason":"length"'),
        ("/v1/chat/completions", {"max_tokens": 3}, b'"finish_reason":"length"'),
    ],
)
@ways
async def test_a_limit_is_told_as_the_reason_of_the_end(
    start: Start, path: str, limit: dict[str, Any], reason: bytes, stream: bool
) -> None:
    assert reason in (await answer(await start(), request(path, stream=stream, **limit)))[1]


async def test_a_long_stream_is_never_too_old(start: Start) -> None:
    engine = await start(tokens_per_second=40.0)
    async with limits(gap=0.5, answer=0.05, first_token=0.5):
        asked = request(options={"num_predict": 40})
        assert b'"done":true' in (await answer(engine, asked))[1]


@ways
async def test_an_engine_that_begins_no_answer_has_stalled(start: Start, stream: bool) -> None:
    engine = await start()
    engine.faults.hang()
    async with limits(first_token=0.05, answer=0.05):
        with pytest.raises(UpstreamFailed) as failure:
            await answer(engine, request(stream=stream))
    assert (failure.value.stalled, failure.value.timed_out, failure.value.retryable) == (True, True, False)


@ways
async def test_an_engine_whose_time_is_over_is_let_go(start: Start, stream: bool) -> None:
    engine = await start()
    engine.faults.hang()
    async with limits(first_token=0.3, answer=0.3):
        with pytest.raises(UpstreamFailed):
            await answer(engine, request(stream=stream))
    await engine.wait_for(lambda: engine.seen.cancelled[MODEL] == 1)
    assert engine.seen.in_flight.now[MODEL] == 0


async def test_loading_has_a_clock_of_its_own(start: Start) -> None:
    engine = await start()
    engine.faults.hang()
    async with limits(first_token=0.05, load_base=0.05, load_per_gb=0.0):
        cold = node(url=engine.url, resident={})
        with pytest.raises(UpstreamFailed, match=r"no first byte within 0.1 s"):
            async for _ in upstream_for(cold).stream(cold, request(), MODEL, never):
                raise AssertionError("nothing should have come")


def test_a_model_of_unknown_size_gets_the_time_of_a_large_one() -> None:
    small = node(resident={}, on_disk={MODEL: DiskModel(MODEL, 1.0)})
    unknown = node(resident={}, on_disk={MODEL: DiskModel(MODEL)})
    assert (load_seconds(small, MODEL), load_seconds(unknown, MODEL)) == (70.0, 900.0)


async def test_a_node_that_is_away_is_told_by_name_and_not_by_address() -> None:
    away = known(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(UpstreamFailed) as failure:
        async for _ in upstream_for(away).stream(away, request(), MODEL, never):
            raise AssertionError("nothing should have come")
    assert str(failure.value).startswith("studio can't be reached") and "127.0.0.1" not in str(failure.value)


@asynccontextmanager
async def lingering(words: bytes) -> AsyncIterator[str]:
    """The address of an engine that says this, then nothing, and never closes."""

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(words), words))
        await reader.read()  # until we are the one who closes
        writer.close()

    server = await asyncio.start_server(say, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()


async def test_an_engine_that_lingers_after_its_terminal_line_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passthrough, "LINGER", 0.01)
    async with lingering(b"last word") as url, asyncio.timeout(10):
        one = known(url)
        parts = [part async for part in upstream_for(one).stream(one, request(), MODEL, lambda: True)]
    assert parts[1:] == [b"last word"]


async def test_an_engine_that_falls_silent_before_it_has_the_whole_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passthrough, "LINGER", 0.01)
    async with lingering(b"first word") as url, limits(gap=0.05):
        one = known(url)
        with pytest.raises(UpstreamFailed, match=r"nothing further within 0.05 s"):
            async for _ in upstream_for(one).stream(one, request(), MODEL, never):
                pass
