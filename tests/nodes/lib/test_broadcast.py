"""What is broadcast reaches who listens, and costs nothing when nobody does."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from nodes.lib import broadcast as door
from nodes.lib.broadcast import broadcast, listen


@asynccontextmanager
async def listener():
    heard: asyncio.Queue = asyncio.Queue()
    before = door._listening
    task = asyncio.create_task(listen(lambda topic, said: heard.put_nowait((topic, said))))
    while door._listening == before:
        await asyncio.sleep(0)
    yield heard
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_listens_hears_the_topic_and_what_is_said():
    async with listener() as heard:
        broadcast("moved", {"count": 2})
        assert await asyncio.wait_for(heard.get(), 5) == ("moved", {"count": 2})


async def test_everybody_who_listens_hears_it():
    async with listener() as one, listener() as other:
        broadcast("moved", {})
        assert await asyncio.wait_for(one.get(), 5) == await asyncio.wait_for(other.get(), 5)


async def test_nothing_is_sent_while_nobody_listens():
    broadcast("moved", {})
    assert not door._sending


async def test_who_has_left_is_counted_no_more():
    async with listener():
        pass
    broadcast("moved", {})
    assert not door._sending


def test_while_nobody_listens_it_needs_no_loop():
    assert broadcast("moved", {}) is None
