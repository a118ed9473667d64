"""OpenAI's chat completions."""

from collections.abc import Iterator, Mapping
from typing import Any

from routing.protocols.fields import objects, take
from routing.translation.chat import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    USER,
    Chat,
    Image,
    Message,
    Options,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
    merged,
)
from routing.translation.requests.shared import NUMBER, choice_of, effort_of, form_of, parts_of
from routing.translation.sifting import Fields, refused, words

FIELDS = Fields(
    words(
        "model messages stream stream_options max_tokens max_completion_tokens stop seed temperature top_p top_k min_p",
        "presence_penalty frequency_penalty response_format tools tool_choice parallel_tool_calls reasoning",
        "reasoning_effort logprobs top_logprobs n options keep_alive",
    ),
    words("user metadata store service_tier safety_identifier prompt_cache_key prompt_cache_retention fallback_models"),
    {
        "audio": "no engine of this model speaks",
        "functions": "send them as tools",
        "function_call": "send it as tool_choice",
    },
)
ROLES = {"developer": SYSTEM, "system": SYSTEM, "assistant": ASSISTANT, "tool": TOOL}


def decode(content: Mapping[str, Any]) -> Chat:
    """The chat in a body of `/v1/chat/completions`."""
    dropped = FIELDS.sift(content)
    if take(content, "n", int, 1) > 1:
        raise refused("n", "one answer a request; send the request again for another")
    choice, named = choice_of(content)
    return Chat(
        model=take(content, "model", str, ""),
        messages=merged(_message(message, place) for place, message in enumerate(objects(content, "messages"))),
        tools=tuple(_tools(objects(content, "tools"))),
        tool_choice=choice,
        tool_named=named,
        parallel_calls=take(content, "parallel_tool_calls", bool, None),
        options=_options(content),
        stream=take(content, "stream", bool, False),
        usage_wanted=take(take(content, "stream_options", dict, {}), "include_usage", bool, False),
        dropped=dropped,
    )


def _options(content: Mapping[str, Any]) -> Options:
    stop = take(content, "stop", (str, list), ())
    reasoning = take(content, "reasoning", dict, {})
    thinking, effort = effort_of(take(content, "reasoning_effort", str, "") or take(reasoning, "effort", str, ""))
    most = take(content, "max_completion_tokens", int, None)
    return Options(
        max_tokens=take(content, "max_tokens", int, None) if most is None else most,
        stop=(stop,) if isinstance(stop, str) else tuple(map(str, stop)),
        seed=take(content, "seed", int, None),
        temperature=take(content, "temperature", NUMBER, None),
        top_p=take(content, "top_p", NUMBER, None),
        top_k=take(content, "top_k", int, None),
        min_p=take(content, "min_p", NUMBER, None),
        presence_penalty=take(content, "presence_penalty", NUMBER, None),
        frequency_penalty=take(content, "frequency_penalty", NUMBER, None),
        logprobs=take(content, "logprobs", bool, False),
        top_logprobs=take(content, "top_logprobs", int, None),
        form=form_of(take(content, "response_format", dict, {}), "response_format"),
        thinking=thinking,
        effort=effort,
        native=take(content, "options", dict, {}),
        keep_alive=content.get("keep_alive"),
    )


def _tools(tools: list[dict[str, Any]]) -> Iterator[Tool]:
    for tool in tools:
        if tool.get("type", "function") != "function":
            raise refused("tools", f"a tool of type {tool['type']!r} is not known; send functions")
        function: dict[str, Any] = take(tool, "function", dict, {})
        name, description = take(function, "name", str, ""), take(function, "description", str, "")
        yield Tool(name, description, take(function, "parameters", dict, {}), take(function, "strict", bool, None))


def _message(message: Mapping[str, Any], place: int) -> Message:
    role = ROLES.get(take(message, "role", str, USER), USER)
    parts = tuple(parts_of(message, f"messages[{place}].content"))
    if role == TOOL:
        result = ToolResult(take(message, "tool_call_id", str, ""), Message(TOOL, parts).text)
        return Message(TOOL, (result, *(part for part in parts if isinstance(part, Image))))
    thoughts = take(message, "reasoning_content", str, "") or take(message, "reasoning", str, "")
    thinking = (Thinking(thoughts),) if thoughts else ()
    return Message(role, (*thinking, *parts, *_calls(message)))


def _calls(message: Mapping[str, Any]) -> Iterator[ToolUse]:
    for call in objects(message, "tool_calls"):
        function: dict[str, Any] = take(call, "function", dict, {})
        arguments = take(function, "arguments", str, "") or "{}"
        yield ToolUse(take(call, "id", str, ""), take(function, "name", str, ""), arguments)
