"""What the router reads of a body, and how it refuses one."""

from typing import Any

import pytest

from routing.core.problems import Problem
from routing.protocols import OLLAMA, OPENAI
from routing.protocols.fields import parsed

HELLO = [{"role": "user", "content": "hello"}]
IMAGE = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}

BAD_JSON = [
    (b"", "missing request body"),
    (b"  \n", "missing request body"),
    (b"bogus", "invalid character 'b' looking for beginning of value"),
    (b'{"model": "m"', "unexpected end of JSON input"),
    (b"[1]", "json: cannot unmarshal array into a request, which is an object"),
    (b'{"model": "\xff"}', "invalid JSON: str is not valid UTF-8: surrogates not allowed"),
    (b'{"seed": 1e999}', "invalid JSON: number is infinity when parsed as double"),
]
GO = "json: cannot unmarshal {} into field {} of type {}"
WRONG = [
    ({"messages": HELLO}, "model is required"),
    ({"model": "", "messages": HELLO}, "model is required"),
    ({"model": 7, "messages": HELLO}, GO.format("number", "model", "string")),
    ({"model": "m", "messages": "hi"}, GO.format("string", "messages", "array")),
    ({"model": "m", "messages": ["hi"]}, GO.format("string", "messages", "object")),
    ({"model": "m", "messages": HELLO, "stream": "yes"}, GO.format("string", "stream", "bool")),
    ({"model": "m", "messages": HELLO, "tools": {}}, GO.format("object", "tools", "array")),
    ({"model": "m", "messages": HELLO, "options": []}, GO.format("array", "options", "object")),
    ({"model": "m", "messages": HELLO, "fallback_models": [1]}, GO.format("number", "fallback_models", "string")),
]


@pytest.mark.parametrize(("body", "words"), BAD_JSON)
def test_bad_json_is_refused_in_the_words_of_ollamas_parser(body: bytes, words: str) -> None:
    with pytest.raises(Problem) as refused:
        parsed(body)
    assert (refused.value.status, refused.value.message, refused.value.outcome) == (400, words, "invalid")


@pytest.mark.parametrize("protocol", [OLLAMA, OPENAI], ids=lambda p: p.name)
@pytest.mark.parametrize(("content", "words"), WRONG)
def test_a_field_of_the_wrong_type_is_named(protocol: Any, content: dict[str, Any], words: str) -> None:
    path = next(iter(protocol.paths))
    with pytest.raises(Problem) as refused:
        protocol.read(path, content)
    assert (refused.value.status, refused.value.message) == (400, words)


def test_ollama_streams_unless_told_otherwise() -> None:
    assert OLLAMA.read("/api/chat", {"model": "m", "messages": HELLO}).stream
    assert not OLLAMA.read("/api/chat", {"model": "m", "messages": HELLO, "stream": False}).stream


def test_openai_is_whole_unless_told_otherwise() -> None:
    assert not OPENAI.read("/v1/chat/completions", {"model": "m", "messages": HELLO}).stream


def test_generate_without_a_model_is_answered_as_ollama_does() -> None:
    with pytest.raises(Problem) as refused:
        OLLAMA.read("/api/generate", {"prompt": "x"})
    assert (refused.value.status, refused.value.message) == (404, "model '' not found")


@pytest.mark.parametrize("kind", ["image_url", "image", "input_image"])
def test_an_image_is_one_whatever_its_part_is_called(kind: str) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "what is it?"}, {"type": kind, "image": "AA"}]}]
    assert "vision" in OPENAI.read("/v1/chat/completions", {"model": "m", "messages": messages}).needs


@pytest.mark.parametrize(
    ("path", "content", "needs"),
    [
        ("/v1/chat/completions", {"model": "m", "messages": HELLO}, set()),
        ("/v1/chat/completions", {"model": "m", "messages": IMAGE}, {"vision"}),
        ("/v1/chat/completions", {"model": "m", "messages": HELLO, "tools": [TOOL]}, {"tools"}),
        ("/v1/embeddings", {"model": "m", "input": "x"}, {"embedding"}),
        ("/api/chat", {"model": "m", "messages": [{"role": "user", "images": ["AA"]}]}, {"vision"}),
        ("/api/generate", {"model": "m", "prompt": "x", "images": ["AA"]}, {"vision"}),
        ("/api/embed", {"model": "m", "input": ["x"]}, {"embedding"}),
    ],
)
def test_what_a_request_needs_is_read_from_its_body(path: str, content: dict[str, Any], needs: set[str]) -> None:
    protocol = OLLAMA if path.startswith("/api") else OPENAI
    assert protocol.read(path, content).needs == needs


def test_the_demanded_tokens_are_prompt_plus_output_capped() -> None:
    reading = OPENAI.read("/v1/chat/completions", {"model": "m", "messages": HELLO, "max_tokens": 100_000})
    assert 4096 < reading.tokens < 4096 + 20


def test_a_requested_context_raises_the_demanded_tokens() -> None:
    content = {"model": "m", "messages": HELLO, "options": {"num_ctx": 8192}}
    assert OLLAMA.read("/api/chat", content).tokens == 8192


def test_a_conversation_keeps_its_mark_from_turn_to_turn() -> None:
    later = [*HELLO, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "more"}]
    first = OPENAI.read("/v1/chat/completions", {"model": "m", "messages": HELLO}).session
    assert first == OPENAI.read("/v1/chat/completions", {"model": "m", "messages": later}).session
    assert first is not None


def test_a_prompt_cache_key_is_the_conversations_mark() -> None:
    content = {"model": "m", "messages": HELLO, "prompt_cache_key": "abc"}
    assert OPENAI.read("/v1/chat/completions", content).session == "abc"


def test_a_broken_ollama_stream_ends_in_an_error_line_of_its_own() -> None:
    assert OLLAMA.broken("gone", b'{"half":') == b'\n{"error":"gone"}\n'
    assert OLLAMA.broken("gone", b"{}\n") == b'{"error":"gone"}\n'


def test_a_broken_openai_stream_ends_in_an_error_event_and_no_done() -> None:
    ended = OPENAI.broken("gone", b"data: {}\n\n")
    assert ended.startswith(b'data: {"error":{"message":"gone"') and b"[DONE]" not in ended


def test_a_float_where_a_whole_number_is_due_is_told_apart() -> None:
    with pytest.raises(Problem, match="cannot unmarshal number into field max_tokens of type integer"):
        OPENAI.read("/v1/chat/completions", {"model": "m", "messages": HELLO, "max_tokens": 1.5})


NO_CONTEXTS = [
    *((value, "must be of type integer") for value in ("big", True, 4096.5, [4096])),
    *((value, f"must be from 1 to {2**31 - 1}") for value in (0, -1, 2**31, 1e30)),
]


@pytest.mark.parametrize("protocol", [OLLAMA, OPENAI], ids=lambda p: p.name)
@pytest.mark.parametrize(("value", "words"), NO_CONTEXTS)
def test_a_context_that_no_model_has_is_refused(protocol: Any, value: object, words: str) -> None:
    content = {"model": "m", "messages": HELLO, "options": {"num_ctx": value}}
    with pytest.raises(Problem, match=f'option "num_ctx" {words}') as refused:
        protocol.read(next(iter(protocol.paths)), content)
    assert refused.value.status == 400


def test_the_largest_context_is_a_number_that_every_column_takes() -> None:
    content = {"model": "m", "messages": HELLO, "options": {"num_ctx": 2**31 - 1}}
    assert OLLAMA.read("/api/chat", content).tokens == 2**31 - 1
