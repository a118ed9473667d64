"""What lives in a server process, in order."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fleetsite import runtime
from fleetsite.runtime import lifespan


async def live(monkeypatch: pytest.MonkeyPatch, *parts: Any) -> list[str]:
    """The messages of one life with these parts."""
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {}

    async def send(message: dict[str, str]) -> None:
        sent.append(message["type"])

    monkeypatch.setattr(runtime, "PARTS", parts)
    await lifespan({}, receive, send)
    return sent


def part(name: str, story: list[str]) -> Any:
    @asynccontextmanager
    async def made() -> AsyncIterator[None]:
        story.append(f"+{name}")
        yield
        story.append(f"-{name}")

    return made


@asynccontextmanager
async def broken() -> AsyncIterator[None]:
    raise RuntimeError("no such thing")
    yield


async def test_parts_stop_in_reverse_order(monkeypatch: pytest.MonkeyPatch) -> None:
    story: list[str] = []
    await live(monkeypatch, part("a", story), part("b", story))
    assert story == ["+a", "+b", "-b", "-a"]


async def test_a_life_is_announced_and_taken_leave_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await live(monkeypatch) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_part_that_fails_is_told_and_the_earlier_ones_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    story: list[str] = []
    sent = await live(monkeypatch, part("a", story), broken, part("b", story))
    assert (sent, story) == (["lifespan.startup.failed"], ["+a", "-a"])
