"""An Ollama's inventory, from the answers of a real one."""

from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any

import pytest

from nodes.core.report import NodeReport
from nodes.engines.client import EngineTrouble, fetcher, session
from nodes.engines.ollama import OllamaReader, believed, report
from tests.nodes.parts import NOW, Engine
from tests.nodes.recorded import CLOUD_STUB, MINILM_DIGEST, OLLAMA, OLLAMA_PS, OLLAMA_TAGS

MINILM, SMOL = "all-minilm:latest", "smollm2:135m"


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine(OLLAMA) as running:
        yield running


@pytest.fixture
async def reader(engine: Engine) -> AsyncIterator[OllamaReader]:
    async with session() as client:
        yield OllamaReader(fetcher(client, engine.url, "ollama"), engine.url)


def reported(tags: Any = OLLAMA_TAGS, ps: Any = OLLAMA_PS, version: str = "0.34.1") -> NodeReport:
    return report(version, tags, ps, {}, NOW)


async def test_it_says_its_version(reader: OllamaReader) -> None:
    assert (await reader.read(NOW, 3)).version == "0.32.2"


async def test_a_model_on_disk_has_size_digest_spelling_and_details(reader: OllamaReader) -> None:
    model = ((await reader.read(NOW, 3)).on_disk or {})[MINILM]
    assert (model.size_gb, model.digest, model.spelling, model.details["family"]) == (
        0.045949478,
        MINILM_DIGEST,
        MINILM,
        "bert",
    )


async def test_a_resident_size_of_zero_is_unknown(reader: OllamaReader) -> None:
    model = ((await reader.read(NOW, 3)).resident or {})[SMOL]
    assert (model.size_gb, model.context) == (None, 2048)


async def test_an_old_versions_embedding_model_is_recognised_by_show(reader: OllamaReader) -> None:
    disk = (await reader.read(NOW, 3)).on_disk or {}
    assert disk[MINILM].capabilities == {"embedding"}


async def test_each_model_is_shown_once(engine: Engine, reader: OllamaReader) -> None:
    for _ in range(3):
        await reader.read(NOW, 3)
    assert engine.calls.count("POST /api/show") == 2


async def test_a_model_that_was_pulled_anew_is_shown_again(engine: Engine, reader: OllamaReader) -> None:
    await reader.read(NOW, 3)
    engine.answers["/api/tags"] = deepcopy(OLLAMA_TAGS)
    engine.answers["/api/tags"]["models"][0]["digest"] = "new"
    await reader.read(NOW, 3)
    assert engine.calls.count("POST /api/show") == 3


async def test_a_version_whose_tags_are_right_is_never_sent_a_post(engine: Engine, reader: OllamaReader) -> None:
    engine.answers["/api/version"] = {"version": "0.40.2"}
    await reader.read(NOW, 3)
    assert set(engine.calls) == {"GET /api/version", "GET /api/tags", "GET /api/ps"}


async def test_show_that_fails_leaves_the_capabilities_unknown(engine: Engine, reader: OllamaReader) -> None:
    engine.answers["/api/show"] = (500, {"error": "no"})
    assert ((await reader.read(NOW, 3)).on_disk or {})[MINILM].capabilities is None


async def test_a_probe_asks_for_the_version_alone(engine: Engine, reader: OllamaReader) -> None:
    assert (await reader.probe(3)).reachable and engine.calls == ["GET /api/version"]


async def test_a_probe_is_no_sign_of_the_agents_life(reader: OllamaReader) -> None:
    assert (await reader.probe(3)).seen_at is None


@pytest.mark.parametrize("path", ["/api/version", "/api/tags", "/api/ps"])
@pytest.mark.parametrize("answer", [(404, {}), (500, {}), (200, [1]), (200, "x")])
async def test_an_answer_of_another_kind_is_trouble(
    engine: Engine, reader: OllamaReader, path: str, answer: tuple[int, Any]
) -> None:
    engine.answers[path] = answer
    with pytest.raises(EngineTrouble, match="--engine openai"):
        await reader.read(NOW, 3)


def test_a_cloud_stub_is_left_out() -> None:
    tags = {"models": [*OLLAMA_TAGS["models"], CLOUD_STUB]}
    assert set(reported(tags).on_disk or {}) == {MINILM, SMOL}


@pytest.mark.parametrize("listing", [{}, {"models": None}, {"models": [1, {}, {"name": ""}, {"name": 7}]}])
def test_entries_without_a_name_are_skipped(listing: Any) -> None:
    assert reported(listing, listing).on_disk == {}


@pytest.mark.parametrize("field", ["size", "context_length", "expires_at", "digest", "details"])
@pytest.mark.parametrize("value", [None, "", -1, [], "soon", True])
def test_a_field_of_the_wrong_type_is_unknown_not_fatal(field: str, value: Any) -> None:
    listing = {"models": [OLLAMA_PS["models"][0] | {field: value}]}
    assert set(reported(listing, listing).resident or {}) == {SMOL}


@pytest.mark.parametrize(("expires", "pinned"), [("2318-03-01T00:00:00Z", True), ("2026-11-30T20:00:00Z", False)])
def test_a_model_that_is_kept_for_ever_is_pinned(expires: str, pinned: bool) -> None:
    listing = {"models": [OLLAMA_PS["models"][0] | {"expires_at": expires}]}
    assert (reported(ps=listing).resident or {})[SMOL].pinned is pinned


def test_how_many_it_runs_at_once_is_not_known_from_outside() -> None:
    assert reported().engine_parallel is None


@pytest.mark.parametrize(
    ("version", "right"),
    [("0.34.1", True), ("0.40.0", True), ("1.0", True), ("0.34.0", False), ("0.33.0-rc2", False), ("0.0.0", False)],
)
def test_tags_are_believed_since_0_34_1(version: str, right: bool) -> None:
    assert believed(version) is right
