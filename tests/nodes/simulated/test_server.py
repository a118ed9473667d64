import asyncio
import contextlib

import aiohttp
import pytest

from .raw import HELLO, raw

ENDLESS = {"model": "m", "messages": HELLO, "options": {"num_predict": 1_000_000}}


async def test_every_request_is_kept_with_its_headers_and_body(start):
    node = await start("m=1")
    await raw(node, "POST", "/api/chat", {"model": "m", "messages": HELLO}, {"X-Mine": "yes"})
    received = node.seen.received[-1]
    assert (received.method, received.path, received.headers["x-mine"]) == ("POST", "/api/chat", "yes")
    assert node.seen.bodies("/api/chat") == [{"model": "m", "messages": HELLO}]


async def test_requests_are_counted_by_path(start):
    node = await start("m=1")
    for _ in range(3):
        await raw(node, "GET", "/api/ps")
    assert node.seen.requests == {"/api/ps": 3}


async def test_nothing_is_answered_before_the_first_token(start, http):
    node = await start("m=1")
    node.faults.hang()
    asking = asyncio.create_task(http.post(f"{node.url}/api/chat", json={"model": "m", "messages": HELLO}))
    await node.wait_for(lambda: node.seen.generating.now["m:latest"] == 1)
    assert not asking.done()
    node.faults.heal()
    async with await asking as answer:
        assert answer.status == 200


async def test_a_client_that_leaves_frees_its_slot(start):
    node = await start("m=1", tokens_per_second=200)
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{node.url}/api/chat", json=ENDLESS) as answer:
            await answer.content.readline()
    await node.wait_for(lambda: node.seen.generating.now["m:latest"] == 0)
    assert node.seen.cancelled == {"m:latest": 1}


async def test_a_client_that_leaves_before_the_first_token_frees_its_slot(start):
    node = await start("m=1")
    node.faults.hang()
    async with aiohttp.ClientSession() as session:
        asking = asyncio.create_task(session.post(f"{node.url}/api/chat", json=ENDLESS))
        await node.wait_for(lambda: node.seen.generating.now["m:latest"] == 1)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
    await node.wait_for(lambda: node.seen.in_flight.now["m:latest"] == 0)
    assert node.seen.cancelled == {"m:latest": 1}


async def test_a_killed_node_tears_its_streams_without_an_end(start):
    node = await start("m=1", tokens_per_second=200)
    asking = asyncio.create_task(raw(node, "POST", "/api/chat", ENDLESS))
    await node.wait_for(lambda: node.seen.tokens >= 3)
    await node.kill()
    answer = await asking
    assert (answer.status, answer.ended) == ("200 OK", False)
    assert answer.body.count(b'"done":false') >= 3


async def test_a_killed_node_refuses_connections(start):
    node = await start("m=1")
    await node.kill()
    with pytest.raises(ConnectionRefusedError):
        await raw(node, "GET", "/api/version")


async def test_a_killed_node_starts_again_at_its_place_with_nothing_in_memory(start):
    node = await start("m=1")
    await raw(node, "POST", "/api/generate", {"model": "m"})
    url = node.url
    await node.kill()
    assert await node.start() == url
    assert (await raw(node, "GET", "/api/ps")).json() == {"models": []}


async def test_a_node_that_refuses_finishes_what_runs(start, http):
    node = await start("m=1")
    node.faults.hang()
    asking = asyncio.create_task(http.post(f"{node.url}/api/chat", json={"model": "m", "messages": HELLO}))
    await node.wait_for(lambda: node.seen.generating.now["m:latest"] == 1)
    await node.refuse()
    with pytest.raises(ConnectionRefusedError):
        await raw(node, "GET", "/api/version")
    node.faults.heal()
    async with await asking as answer:
        assert b'"done":true' in await answer.read()


async def test_a_node_that_refuses_closes_idle_connections(start, http):
    node = await start("m=1")
    async with http.get(f"{node.url}/api/version") as answer:
        await answer.read()
    await node.refuse()
    with pytest.raises(aiohttp.ClientConnectionError):
        await http.get(f"{node.url}/api/version")


async def test_a_node_that_accepts_again_answers_at_its_place(start):
    node = await start("m=1")
    await node.refuse()
    await node.accept()
    assert (await raw(node, "GET", "/api/version")).status == "200 OK"
