"""Looking for an Ollama on this machine."""

from nodes.detect import local_ollama
from tests.nodes.parts import Engine
from tests.nodes.recorded import LLAMA_CPP, OLLAMA


async def test_an_ollama_is_found_by_its_version_alone() -> None:
    async with Engine(OLLAMA) as engine:
        assert await local_ollama(engine.url) == engine.url
        assert engine.calls == ["GET /api/version"]


async def test_another_engine_is_no_ollama() -> None:
    async with Engine(LLAMA_CPP) as engine:
        assert await local_ollama(engine.url) is None


async def test_where_nothing_listens_nothing_is_found() -> None:
    async with Engine({}) as engine:
        url = engine.url
    assert await local_ollama(url) is None
