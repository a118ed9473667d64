"""Simulated nodes on real sockets, stopped at the end."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from nodes.simulated import Machine, SimulatedNode

Start = Callable[..., Awaitable[SimulatedNode]]
MODELS = "smollm2:135m=0.1,all-minilm=0.05,qwen2.5:7b=4.7"


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """`await start("m=1", parallel=2)`: a node that listens; `registry` and `control` go to the node."""
    started = []

    async def begin(models: str = MODELS, registry: str = "", control: bool = False, **machine: Any) -> SimulatedNode:
        node = SimulatedNode(models, Machine(**machine), registry, control)
        await node.start()
        started.append(node)
        return node

    yield begin
    for node in started:
        await node.stop()


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A client."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def ollama(start: Start) -> SimulatedNode:
    """An Ollama with a chat model that has tools, one that has none, and an embedding model."""
    return await start()


@pytest.fixture
async def llama(start: Start) -> SimulatedNode:
    """An engine that speaks OpenAI's dialect only."""
    return await start("smollm2=0.1", engine="openai")
