"""How an Ollama is told to load and to unload."""

import pytest

from routing.core.problems import UpstreamFailed
from routing.upstreams import upstream_for
from tests.routing.factories import node
from tests.routing.upstreams.conftest import Start


async def test_a_model_is_loaded_by_an_empty_prompt(start: Start) -> None:
    engine = await start()
    await upstream_for(node()).load(node(url=engine.url), "acme:7b", 10.0)
    assert engine.seen.loads["acme:7b"] == 1


async def test_an_embedding_model_is_loaded_by_an_empty_embedding(start: Start) -> None:
    engine = await start("all-minilm=0.1")
    await upstream_for(node()).load(node(url=engine.url), "all-minilm:latest", 10.0, embedding=True)
    assert engine.seen.loads["all-minilm:latest"] == 1


async def test_how_long_a_model_stays_is_left_to_the_engine(start: Start) -> None:
    engine = await start()
    await upstream_for(node()).load(node(url=engine.url), "acme:7b", 10.0)
    assert "keep_alive" not in engine.seen.bodies("/api/generate")[0]


async def test_a_load_that_takes_too_long_says_so(start: Start) -> None:
    engine = await start(load_gbps=0.001)
    with pytest.raises(UpstreamFailed, match=r"studio gave no answer within 0.05 s"):
        await upstream_for(node()).load(node(url=engine.url), "acme:7b", 0.05)
