"""Embeddings of three dialects, on either engine."""

import struct
from base64 import b64encode
from typing import Any

import orjson
import pytest

from routing.core.problems import Problem, UpstreamFailed
from routing.translation.embedding import DIALECTS, TARGETS, Embedding, Vectors

NATIVE, LEGACY, OPENAI = "/api/embed", "/api/embeddings", "/v1/embeddings"
ROWS = ((0.5, -1.0), (2.0, 0.25))
OLLAMA_SAID = {"model": "m", "embeddings": [list(row) for row in ROWS], "prompt_eval_count": 6}
DATA = [{"object": "embedding", "index": index, "embedding": list(row)} for index, row in enumerate(ROWS)]
OPENAI_SAID = {"object": "list", "data": DATA, "model": "m", "usage": {"prompt_tokens": 6, "total_tokens": 6}}
SAID = {"ollama": OLLAMA_SAID, "openai": OPENAI_SAID}


def asked(path: str, **body: Any) -> Embedding:
    return DIALECTS[path].decode({"model": "m", **body})


def sent(engine: str, path: str, **body: Any) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(TARGETS[engine].render(asked(path, **body)).body)
    return content


def answer(engine: str, path: str, said: Any = None, **body: Any) -> dict[str, Any]:
    """What the client of a path gets for what an engine said."""
    request = asked(path, **body)
    vectors = TARGETS[engine].vectors(request, orjson.dumps(SAID[engine] if said is None else said))
    told: dict[str, Any] = orjson.loads(DIALECTS[path].encode(request, vectors))
    return told


@pytest.mark.parametrize("path", [NATIVE, OPENAI])
@pytest.mark.parametrize("engine", TARGETS)
def test_texts_go_to_either_engine(engine: str, path: str) -> None:
    assert sent(engine, path, input=["a", "b"], dimensions=2) == {"model": "m", "input": ["a", "b"], "dimensions": 2}


@pytest.mark.parametrize(("path", "name"), [(NATIVE, "input"), (OPENAI, "input"), (LEGACY, "prompt")])
def test_one_text_is_a_list_of_one(path: str, name: str) -> None:
    assert sent("openai", path, **{name: "a"})["input"] == ["a"]


@pytest.mark.parametrize("engine", TARGETS)
def test_ollamas_client_gets_the_vectors(engine: str) -> None:
    assert answer(engine, NATIVE, input=["a", "b"]) == OLLAMA_SAID


@pytest.mark.parametrize("engine", TARGETS)
def test_openais_client_gets_the_vectors(engine: str) -> None:
    assert answer(engine, OPENAI, input=["a", "b"]) == OPENAI_SAID


def test_the_older_path_has_one_vector() -> None:
    assert answer("openai", LEGACY, {"data": DATA[:1]}, prompt="a") == {"embedding": [0.5, -1.0]}


def test_base64_is_made_here() -> None:
    told = answer("ollama", OPENAI, input=["a", "b"], encoding_format="base64")["data"][0]["embedding"]
    assert told == b64encode(struct.pack("<2f", 0.5, -1.0)).decode()


def test_base64_that_nobody_asked_for_is_read() -> None:
    row = {"index": 0, "embedding": b64encode(struct.pack("<2f", 0.5, -1.0)).decode()}
    assert answer("openai", NATIVE, {"data": [row]}, input="a")["embeddings"] == [[0.5, -1.0]]


def test_vectors_come_in_the_order_of_the_texts() -> None:
    assert answer("openai", NATIVE, {"data": DATA[::-1]}, input=["a", "b"])["embeddings"] == [list(row) for row in ROWS]


def test_figures_that_nobody_gave_stay_away() -> None:
    assert "prompt_eval_count" not in answer("openai", NATIVE, {"data": DATA}, input=["a", "b"])


@pytest.mark.parametrize("said", [{"embeddings": [[1.0]]}, {}, [], {"embeddings": [1, 2]}, {"error": "boom"}])
def test_an_answer_without_a_vector_for_each_text_is_none(said: Any) -> None:
    with pytest.raises(UpstreamFailed):
        answer("ollama", NATIVE, said, input=["a", "b"])


@pytest.mark.parametrize(
    "said",
    [
        {"data": DATA[:1]},
        {"data": [1, 2]},
        {"data": 7},
        {"data": [{"embedding": "?"}, {"embedding": ["x"]}]},
        {"error": {"message": "boom"}},
    ],
)
def test_an_openai_answer_without_a_vector_for_each_text_is_none(said: Any) -> None:
    with pytest.raises(UpstreamFailed):
        answer("openai", NATIVE, said, input=["a", "b"])


def test_what_is_no_json_is_no_answer() -> None:
    with pytest.raises(UpstreamFailed, match="no JSON"):
        TARGETS["ollama"].vectors(asked(NATIVE, input="a"), b"<html>")


def test_nothing_to_embed_loads_at_ollama() -> None:
    assert sent("ollama", NATIVE)["input"] == []


@pytest.mark.parametrize("path", [NATIVE, LEGACY])
def test_an_engine_that_loads_nothing_is_not_asked_to(path: str) -> None:
    with pytest.raises(Problem, match="nothing to load"):
        sent("openai", path)


@pytest.mark.parametrize("tokens", [[1, 2], [[1, 2], [3]]])
def test_tokens_are_refused(tokens: list[Any]) -> None:
    with pytest.raises(Problem, match="send text"):
        asked(OPENAI, input=tokens)


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(Problem, match="float or base64"):
        asked(OPENAI, input="a", encoding_format="int8")


def test_what_is_dropped_is_named() -> None:
    out = TARGETS["openai"].render(asked(NATIVE, input="a", truncate=True, options={"num_ctx": 1}, keep_alive=0))
    assert out.dropped == ("truncate", "options.num_ctx", "keep_alive")


def test_ollama_keeps_its_own_options() -> None:
    assert sent("ollama", LEGACY, prompt="a", options={"num_ctx": 1}, keep_alive=0) == {
        "model": "m", "input": ["a"], "options": {"num_ctx": 1}, "keep_alive": 0,
    }  # fmt: skip


def test_no_text_has_no_vector() -> None:
    assert DIALECTS[LEGACY].encode(asked(LEGACY), Vectors(())) == b'{"embedding":[]}'
