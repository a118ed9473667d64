"""Engines on real sockets, and the client of engines closed at the end."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from nodes.simulated import Machine, SimulatedNode
from routing.upstreams import client

Start = Callable[..., Awaitable[SimulatedNode]]


@pytest.fixture(autouse=True)
async def _client() -> AsyncIterator[None]:
    """No connection outlives its test."""
    yield
    await client.close()


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """`await start("acme:7b=4", parallel=2)`: an engine that listens."""
    started = []

    async def begin(models: str = "acme:7b=4", **machine: Any) -> SimulatedNode:
        engine = SimulatedNode(models, Machine(**machine))
        await engine.start()
        started.append(engine)
        return engine

    yield begin
    for engine in started:
        await engine.stop()
