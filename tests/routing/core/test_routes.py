"""Which paths an engine serves itself."""

import pytest

from nodes.core.values import NodeSnapshot
from routing.core.routes import ROUTES, TRANSLATED, lacking, out_of_reach, servers, version_of
from routing.translation import DIALECTS, embedding

OPENAI = {"/v1/chat/completions", "/v1/completions", "/v1/embeddings"}
FIRST = [
    ("/v1/chat/completions", "0.1.23", "0.1.24"),
    ("/v1/completions", "0.1.48", "0.2.0"),
    ("/v1/embeddings", "0.2.5", "0.2.6"),
    ("/v1/responses", "0.13.2", "0.13.3"),
    ("/v1/messages", "0.13.5", "0.14.0-rc1"),
]


def served(engine: str, flavour: str = "", version: str = "") -> set[str]:
    return set(ROUTES - lacking(NodeSnapshot("n", engine=engine, flavour=flavour, version=version)))


@pytest.mark.parametrize(("path", "before", "first"), FIRST)
def test_an_ollama_serves_a_path_from_its_first_version_on(path: str, before: str, first: str) -> None:
    assert [path in served("ollama", version=v) for v in (before, first)] == [False, True]


def test_an_ollama_serves_its_own_api_whatever_its_version() -> None:
    assert {p for p in ROUTES if p.startswith("/api/")} <= served("ollama", version="0.1.0")


def test_an_ollama_that_tells_no_version_is_taken_for_a_new_one() -> None:
    assert served("ollama") == ROUTES


def test_llama_cpp_serves_all_but_ollamas_own_api() -> None:
    assert served("openai", "llama.cpp", "b0-unknown") == OPENAI | {"/v1/responses", "/v1/messages"}


@pytest.mark.parametrize(("version", "serves"), [("", False), ("0.11.0", False), ("0.11.1", True)])
def test_vllm_serves_messages_only_if_its_version_says_so(version: str, serves: bool) -> None:
    assert ("/v1/messages" in served("openai", "vllm", version)) is serves


@pytest.mark.parametrize("flavour", ["", "openai", "lmstudio", "sglang"])
def test_any_other_engine_serves_openais_three(flavour: str) -> None:
    assert served("openai", flavour) == OPENAI


def test_what_a_path_needs_is_told_in_words() -> None:
    assert servers("/v1/messages") == "Ollama 0.14.0 or newer, llama.cpp, vLLM 0.11.1 or newer"


@pytest.mark.parametrize(("text", "version"), [("0.33.0-rc2", (0, 33, 0)), ("0.9.1+cu128", (0, 9, 1)), ("", ())])
def test_a_version_is_its_leading_numbers(text: str, version: tuple[int, ...]) -> None:
    assert version_of(text) == version


def test_what_is_translated_is_what_the_translation_knows() -> None:
    assert set(DIALECTS) | set(embedding.DIALECTS) == TRANSLATED


def test_what_an_engine_lacks_is_out_of_reach_only_where_nothing_translates() -> None:
    assert out_of_reach(NodeSnapshot("n", engine="ollama", version="0.1.9")) == {"/v1/completions"}
