"""What the router reads of messages and responses, and how it refuses them."""

from typing import Any

import orjson
import pytest

from routing.core.problems import Problem
from routing.protocols import ANTHROPIC, RESPONSES
from routing.protocols.base import Reading

HELLO = [{"role": "user", "content": "hello"}]
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
SHOWN = {"type": "tool_result", "tool_use_id": "t", "content": [IMAGE]}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
SEEN = [{"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AA"}]}]
RETURNED = [{"type": "function_call_output", "call_id": "c", "output": SEEN[0]["content"]}]
LONG = "word " * 1000


def message(**more: Any) -> Reading:
    return ANTHROPIC.read("/v1/messages", {"model": "m", "max_tokens": 1, "messages": HELLO} | more)


def response(**more: Any) -> Reading:
    return RESPONSES.read("/v1/responses", {"model": "m", "input": "hello"} | more)


def refused(path: str, content: dict[str, Any]) -> str:
    with pytest.raises(Problem) as problem:
        (ANTHROPIC if path == "/v1/messages" else RESPONSES).read(path, content)
    assert (problem.value.status, problem.value.outcome) == (400, "invalid")
    return problem.value.message


def test_both_are_whole_unless_told_otherwise() -> None:
    assert [message().stream, response().stream] == [False, False]
    assert [message(stream=True).stream, response(stream=True).stream] == [True, True]


@pytest.mark.parametrize(
    ("content", "needs"),
    [
        ({}, set()),
        ({"messages": [{"role": "user", "content": [IMAGE]}]}, {"vision"}),
        ({"messages": [{"role": "user", "content": [SHOWN]}]}, {"vision"}),
        ({"tools": [TOOL]}, {"tools"}),
    ],
)
def test_what_a_message_needs_is_read_from_its_body(content: dict[str, Any], needs: set[str]) -> None:
    assert message(**content).needs == needs


@pytest.mark.parametrize(
    ("content", "needs"),
    [
        ({}, set()),
        ({"input": SEEN}, {"vision"}),
        ({"input": RETURNED}, {"vision"}),
        ({"tools": [{"type": "function", "name": "f"}]}, {"tools"}),
    ],
)
def test_what_a_response_needs_is_read_from_its_body(content: dict[str, Any], needs: set[str]) -> None:
    assert response(**content).needs == needs


@pytest.mark.parametrize(
    "content",
    [
        {"system": LONG},
        {"system": [{"type": "text", "text": LONG}]},
        {"messages": [{"role": "user", "content": LONG}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": LONG}]}]},
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "input": {"text": LONG}}]}]},
        {"tools": [TOOL | {"description": LONG}]},
    ],
)
def test_every_part_of_a_message_weighs(content: dict[str, Any]) -> None:
    assert 1000 <= message(**content).tokens < 1050


@pytest.mark.parametrize(
    "content",
    [
        {"instructions": LONG},
        {"input": LONG},
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": LONG}]}]},
        {"input": [{"type": "function_call", "name": "f", "arguments": LONG}]},
        {"input": [{"type": "function_call_output", "output": LONG}]},
        {"input": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": LONG}]}]},
        {"tools": [{"type": "function", "name": "f", "description": LONG}]},
    ],
)
def test_every_part_of_a_response_weighs(content: dict[str, Any]) -> None:
    assert 1000 <= response(**content).tokens < 1050


def test_the_requested_output_counts_under_its_own_name() -> None:
    assert 500 <= message(max_tokens=500).tokens < 520
    assert 500 <= response(max_output_tokens=500).tokens < 520


def test_the_users_id_is_the_mark_of_a_message() -> None:
    assert message(metadata={"user_id": "abc"}).session == "abc"


def test_the_cache_key_is_the_mark_of_a_response() -> None:
    assert response(prompt_cache_key="abc").session == "abc"


def test_without_a_mark_the_opening_words_are_it() -> None:
    later = [*HELLO, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "more"}]
    assert message(system="s").session == message(system="s", messages=later).session != message().session
    assert response(input=HELLO).session == response(input=later).session


def test_items_of_unknown_types_are_tolerated() -> None:
    assert response(input=[{"type": "compaction_from_2031", "blob": {}}, *HELLO]).tokens > 1


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("/v1/messages", {"messages": HELLO}, "model is required"),
        ("/v1/messages", {"model": "m"}, "messages is required"),
        ("/v1/messages", {"model": "m", "messages": ["hi"]}, "field messages of type object"),
        ("/v1/messages", {"model": "m", "messages": HELLO, "system": 7}, "field system of type string or array"),
        ("/v1/responses", {"input": "hi"}, "model is required"),
        ("/v1/responses", {"model": "m"}, "input is required"),
        ("/v1/responses", {"model": "m", "input": ["hi"]}, "field input of type object"),
        ("/v1/responses", {"model": "m", "input": "hi", "previous_response_id": "r"}, "responses are not stored here"),
        ("/v1/responses", {"model": "m", "input": "hi", "conversation": "c"}, "conversations are not stored here"),
        ("/v1/responses", {"model": "m", "input": "hi", "background": True}, "leave background out"),
    ],
)
def test_what_can_not_be_taken_is_refused_by_name(path: str, content: dict[str, Any], words: str) -> None:
    assert words in refused(path, content)


@pytest.mark.parametrize(("status", "kind"), [(404, "not_found_error"), (503, "overloaded_error"), (502, "api_error")])
def test_a_problem_in_anthropics_form_names_its_decision(status: int, kind: str) -> None:
    answer = ANTHROPIC.problem(Problem("unknown_model", status, "why", decision="d1"))
    said = {"type": "error", "error": {"type": kind, "message": "why"}, "request_id": "req_d1"}
    assert (orjson.loads(answer.body), answer.headers) == (said, {"Request-Id": "req_d1"})


def test_counted_tokens_are_never_zero() -> None:
    answer = ANTHROPIC.counted({"model": "m", "messages": [{"role": "user", "content": ""}]})
    assert orjson.loads(answer.body)["input_tokens"] > 0


def test_counted_tokens_are_the_prompt_alone() -> None:
    answer = ANTHROPIC.counted({"model": "m", "max_tokens": 900, "messages": [{"role": "user", "content": LONG}]})
    assert 1000 <= orjson.loads(answer.body)["input_tokens"] < 1020
