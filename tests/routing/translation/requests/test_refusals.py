"""What can't be carried is refused by name, or dropped and named; never silently lost."""

from typing import Any

import pytest

from routing.core.problems import Problem
from tests.routing.translation.asked import CHAT, CLAUDE, HELLO, NESTED_TOOL, OLLAMA, RESPONSES
from tests.routing.translation.requests.asking import chat, out

GENERATE = "/api/generate"
REMOTE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}]}


def turn(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("n", CHAT, {"n": 2}),
    ("audio", CHAT, {"audio": {"voice": "x"}}),
    ("functions", CHAT, {"functions": [{}]}),
    ("response_format", CHAT, {"response_format": {"type": "grammar"}}),
    ("tools", CHAT, {"tools": [{"type": "custom"}]}),
    ("messages[0].content", CHAT, {"messages": [turn({"type": "input_audio"})]}),
    ("messages[0].content", CHAT, {"messages": [turn({"type": "image_url", "image_url": {}})]}),
    (
        "messages[0].content",
        CHAT,
        {"messages": [turn({"type": "image_url", "image_url": {"url": "data:image/png,x"}})]},
    ),
    ("previous_response_id", RESPONSES, {"previous_response_id": "resp_1"}),
    ("conversation", RESPONSES, {"conversation": "conv_1"}),
    ("background", RESPONSES, {"background": True}),
    ("prompt", RESPONSES, {"prompt": {"id": "p"}}),
    ("input[0].content", RESPONSES, {"input": [turn({"type": "input_file"})]}),
    ("mcp_servers", CLAUDE, {"mcp_servers": [{"url": "x"}]}),
    ("messages[0].content", CLAUDE, {"messages": [turn({"type": "document", "source": {"type": "base64"}})]}),
    ("messages[0].content", CLAUDE, {"messages": [turn({"type": "image", "source": {"type": "file"}})]}),
    ("format", OLLAMA, {"format": "yaml"}),
    ("suffix", GENERATE, {"suffix": "x"}),
    ("raw", GENERATE, {"raw": True}),
    ("context", GENERATE, {"context": [1]}),
    ("template", GENERATE, {"template": "{{ .Prompt }}"}),
]
DROPPED: list[tuple[str, str, dict[str, Any]]] = [
    ("logit_bias", CHAT, {"logit_bias": {"1": 2}}),
    ("web_search_options", CHAT, {"web_search_options": {"x": 1}}),
    ("verbosity", CHAT, {"verbosity": "low"}),
    ("tools.web_search", RESPONSES, {"tools": [{"type": "web_search"}]}),
    ("input.compaction", RESPONSES, {"input": [{"type": "compaction", "encrypted_content": "x"}]}),
    ("text.verbosity", RESPONSES, {"text": {"verbosity": "low"}}),
    ("truncation", RESPONSES, {"truncation": "auto"}),
    ("max_tool_calls", RESPONSES, {"max_tool_calls": 3}),
    ("tool_choice.allowed_tools", RESPONSES, {"tool_choice": {"type": "allowed_tools", "tools": []}}),
    ("tools.web_search_20250305", CLAUDE, {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
    ("thinking.budget_tokens", CLAUDE, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    ("output_config.effort", CLAUDE, {"output_config": {"effort": "high"}}),
    (
        "tool_result.is_error",
        CLAUDE,
        {"messages": [turn({"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True})]},
    ),
    ("truncate", OLLAMA, {"truncate": True}),
    ("tools", GENERATE, {"tools": [NESTED_TOOL]}),
]
IDLE: list[tuple[str, dict[str, Any]]] = [
    (CHAT, {"user": "u", "store": True, "metadata": {"a": "b"}, "prompt_cache_key": "k", "n": 1, "logit_bias": None}),
    (RESPONSES, {"store": False, "truncation": "disabled", "include": ["reasoning.encrypted_content"]}),
    (CLAUDE, {"metadata": {"user_id": "u"}, "service_tier": "auto", "cache_control": {"type": "ephemeral"}}),
    (OLLAMA, {"metadata": {"tags": ["x"]}, "fallback_models": ["y"]}),
]


@pytest.mark.parametrize(("field", "path", "body"), REFUSED, ids=[f"{path} {field}" for field, path, _ in REFUSED])
def test_what_would_change_the_answer_is_refused_by_name(field: str, path: str, body: dict[str, Any]) -> None:
    with pytest.raises(Problem) as caught:
        chat(path, **body)
    assert (caught.value.status, caught.value.message.split(": ")[0]) == (400, field)


@pytest.mark.parametrize(("field", "path", "body"), DROPPED, ids=[f"{path} {field}" for field, path, _ in DROPPED])
def test_what_is_dropped_is_named(field: str, path: str, body: dict[str, Any]) -> None:
    assert chat(path, **body).dropped == (field,)


@pytest.mark.parametrize(("path", "body"), IDLE)
def test_what_says_nothing_to_an_engine_is_not_called_lost(path: str, body: dict[str, Any]) -> None:
    assert chat(path, **body).dropped == ()


@pytest.mark.parametrize("path", [OLLAMA, CHAT, CLAUDE])
def test_a_field_of_another_type_is_refused(path: str) -> None:
    with pytest.raises(Problem, match="messages of type array"):
        chat(path, messages="hello")


@pytest.mark.parametrize(
    ("dropped", "body"),
    [
        ("tool_choice", {"tool_choice": "required"}),
        ("tool_choice", {"tool_choice": {"type": "function", "function": {"name": "weather"}}}),
        ("parallel_tool_calls", {"parallel_tool_calls": False}),
    ],
)
def test_what_ollama_can_not_be_told_is_named(dropped: str, body: dict[str, Any]) -> None:
    assert out("ollama", CHAT, messages=[HELLO], tools=[NESTED_TOOL], **body).dropped == (dropped,)


def test_a_strict_tool_is_not_strict_at_ollama() -> None:
    tool = {"type": "function", "function": {"name": "f", "strict": True}}
    assert out("ollama", CHAT, messages=[HELLO], tools=[tool]).dropped == ("tools.strict",)


def test_what_only_ollama_knows_is_named() -> None:
    said = out("openai", OLLAMA, messages=[HELLO], options={"num_ctx": 4096, "mirostat": 1}, keep_alive=-1)
    assert said.dropped == ("options.num_ctx", "options.mirostat", "keep_alive")


def test_what_the_client_and_the_engine_lose_is_named_together() -> None:
    said = out("openai", OLLAMA, messages=[HELLO], shift=True, keep_alive="5m")
    assert said.dropped == ("shift", "keep_alive")


def test_ollama_fetches_no_pictures() -> None:
    with pytest.raises(Problem, match="as base64"):
        out("ollama", CHAT, messages=[REMOTE])


def test_arguments_that_are_no_object_are_refused_at_ollama() -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": "Bern"}}
    with pytest.raises(Problem, match=r"messages\[0\].tool_calls\[0\]"):
        out("ollama", CHAT, messages=[{"role": "assistant", "tool_calls": [call]}])


def test_an_engine_that_loads_nothing_is_not_asked_to() -> None:
    with pytest.raises(Problem, match="nothing to load"):
        out("openai", OLLAMA, messages=[])


@pytest.mark.parametrize("path", [OLLAMA, CLAUDE])
def test_arguments_too_deep_to_be_written_are_refused(path: str) -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    claude = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": deep}]}
    native = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": deep}}]}
    with pytest.raises(Problem, match="max depth"):
        out("openai", path, messages=[claude if path == CLAUDE else native])


def test_a_schema_too_deep_to_be_written_is_refused() -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    with pytest.raises(Problem, match="max depth"):
        out("openai", OLLAMA, messages=[HELLO], format=deep)
