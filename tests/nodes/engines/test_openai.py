"""Engines that speak OpenAI's dialect, from their recorded and documented answers."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from nodes.core.report import NodeReport
from nodes.engines.client import EngineTrouble, fetcher, session
from nodes.engines.openai import OpenAIReader
from tests.nodes.parts import NOW, Engine
from tests.nodes.recorded import (
    LLAMA_CPP,
    LLAMA_CPP_LOADING,
    LLAMA_CPP_MODELS,
    LLAMA_CPP_PROPS,
    LLAMA_CPP_PYTHON,
    LM_STUDIO,
    OLLAMA,
    VLLM,
    XLLAMACPP,
)

SMOL = "smollm2:latest"
QWEN, QWEN_VL = "qwen2.5-7b-instruct:latest", "qwen2-vl-7b-instruct:latest"
NOMIC = "text-embedding-nomic-embed-text-v1.5:latest"


@asynccontextmanager
async def running(answers: Mapping[str, Any]) -> AsyncIterator[tuple[Engine, OpenAIReader]]:
    async with Engine(answers) as engine, session() as client:
        yield engine, OpenAIReader(fetcher(client, engine.url, "openai"), engine.url)


async def read(answers: Mapping[str, Any]) -> NodeReport:
    async with running(answers) as (_, reader):
        return await reader.read(NOW, 3)


@pytest.mark.parametrize(
    ("answers", "flavour", "version", "parallel"),
    [
        (LLAMA_CPP, "llama.cpp", "b1-571d0d5", 2),
        (XLLAMACPP, "llama.cpp", "b0-unknown", 2),
        (VLLM, "vllm", "0.11.0", None),
        (LM_STUDIO, "lmstudio", "", None),
        (LLAMA_CPP_PYTHON, "openai", "", None),
    ],
    ids=["llama-server", "xllamacpp", "vLLM", "LM Studio", "llama-cpp-python"],
)
async def test_an_engine_is_recognised(
    answers: Mapping[str, Any], flavour: str, version: str, parallel: int | None
) -> None:
    report = await read(answers)
    assert (report.flavour, report.version, report.engine_parallel) == (flavour, version, parallel)


@pytest.mark.parametrize(
    ("answers", "name", "size", "context"),
    [
        (LLAMA_CPP, SMOL, 0.096576768, 2048),
        (XLLAMACPP, SMOL, 0.096576768, 2048),
        (VLLM, "qwen/qwen2.5-7b-instruct:latest", None, 32768),
        (LM_STUDIO, QWEN, None, 4096),
        (LLAMA_CPP_PYTHON, SMOL, None, None),
    ],
    ids=["llama-server", "xllamacpp", "vLLM", "LM Studio", "llama-cpp-python"],
)
async def test_what_it_serves_is_in_memory(
    answers: Mapping[str, Any], name: str, size: float | None, context: int | None
) -> None:
    models = (await read(answers)).resident or {}
    assert {n: (m.size_gb, m.context, m.pinned) for n, m in models.items()} == {name: (size, context, True)}


async def test_the_engines_own_spelling_is_kept() -> None:
    assert [m.spelling for m in ((await read(VLLM)).on_disk or {}).values()] == ["Qwen/Qwen2.5-7B-Instruct"]


async def test_lm_studio_has_on_disk_what_it_has_not_loaded() -> None:
    assert set((await read(LM_STUDIO)).on_disk or {}) == {QWEN, QWEN_VL, NOMIC}


@pytest.mark.parametrize(
    ("name", "capabilities"),
    [
        (QWEN, {"completion", "tools"}),
        (QWEN_VL, {"completion", "tools", "vision"}),
        (NOMIC, {"embedding"}),
    ],
)
async def test_lm_studios_types_are_capabilities(name: str, capabilities: set[str]) -> None:
    assert ((await read(LM_STUDIO)).on_disk or {})[name].capabilities == capabilities


async def test_llama_cpp_that_says_it_cant_see_denies_vision_alone() -> None:
    assert ((await read(LLAMA_CPP)).on_disk or {})[SMOL].capabilities == {"completion", "tools", "embedding"}


@pytest.mark.parametrize(
    "answers",
    [
        LLAMA_CPP | {"/props": LLAMA_CPP_PROPS | {"modalities": {"vision": True}}},
        LLAMA_CPP | {"/props": (401, {})},
        VLLM,
    ],
    ids=["sees", "locked properties", "vLLM"],
)
async def test_an_engine_that_denies_nothing_has_unknown_capabilities(answers: Mapping[str, Any]) -> None:
    assert [m.capabilities for m in ((await read(answers)).on_disk or {}).values()] == [None]


async def test_a_model_that_llama_cpps_router_has_not_loaded_is_on_disk_only() -> None:
    entry = LLAMA_CPP_MODELS["data"][0]
    two = {"data": [entry | {"status": {"value": "loaded"}}, entry | {"id": "b", "status": {"value": "unloaded"}}]}
    report = await read(LLAMA_CPP | {"/v1/models": two})
    assert (set(report.resident or {}), set(report.on_disk or {})) == ({SMOL}, {SMOL, "b:latest"})


async def test_while_it_loads_it_is_there_with_nothing_in_memory() -> None:
    report = await read({"/v1/models": LLAMA_CPP_LOADING})
    assert (report.reachable, report.seen_at, report.resident, report.on_disk) == (True, NOW, {}, None)


async def test_the_flavour_is_probed_once() -> None:
    async with running(LLAMA_CPP) as (engine, reader):
        for _ in range(3):
            await reader.read(NOW, 3)
        assert engine.calls.count("GET /props") == 1


async def test_another_engine_after_a_failure_is_recognised_anew() -> None:
    async with running(LLAMA_CPP) as (engine, reader):
        await reader.read(NOW, 3)
        engine.answers = {}
        with pytest.raises(EngineTrouble):
            await reader.read(NOW, 3)
        engine.answers = dict(VLLM)
        assert (await reader.read(NOW, 3)).flavour == "vllm"


async def test_nothing_is_ever_posted() -> None:
    async with running(LM_STUDIO) as (engine, reader):
        await reader.read(NOW, 3)
        await reader.probe(3)
        assert {call.split()[0] for call in engine.calls} == {"GET"}


@pytest.mark.parametrize("answers", [LLAMA_CPP, {"/v1/models": LLAMA_CPP_LOADING}], ids=["loaded", "loading"])
async def test_a_probe_says_that_it_is_there(answers: Mapping[str, Any]) -> None:
    async with running(answers) as (_, reader):
        assert (await reader.probe(3)).reachable is True


@pytest.mark.parametrize(
    "answers",
    [OLLAMA, {"/v1/models": {"models": []}}, {"/v1/models": (503, {"error": "busy"})}, {"/v1/models": [1]}],
    ids=["an old Ollama", "no data", "another 503", "a list"],
)
async def test_an_answer_of_another_kind_is_trouble(answers: Mapping[str, Any]) -> None:
    with pytest.raises(EngineTrouble, match="--engine ollama"):
        await read(answers)
