"""OpenAI's responses."""

from collections.abc import Iterator, Mapping
from typing import Any

from routing.protocols.fields import objects, strings, take
from routing.translation.chat import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    USER,
    Chat,
    Image,
    Message,
    Options,
    Part,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
    merged,
    qualified,
)
from routing.translation.requests.shared import NUMBER, choice_of, effort_of, form_of, part_of, parts_of
from routing.translation.sifting import Fields, json_text, once, words

STATELESS = "the fleet keeps no conversations; send all earlier items in input"
FIELDS = Fields(
    words(
        "model input instructions stream max_output_tokens temperature top_p top_logprobs include tools tool_choice",
        "parallel_tool_calls reasoning text",
    ),
    words(
        "metadata user store service_tier safety_identifier prompt_cache_key prompt_cache_retention stream_options",
        "client_metadata fallback_models",
    ),
    {
        "previous_response_id": STATELESS,
        "conversation": STATELESS,
        "background": "the fleet answers while the client waits; send the request without it",
        "prompt": "no templates are kept here; send the text itself",
    },
    {"truncation": "disabled"},
)
ROLES = {"system": SYSTEM, "developer": SYSTEM, "assistant": ASSISTANT}
FREE_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
CALLS, RESULTS = ("function_call", "custom_tool_call"), ("function_call_output", "custom_tool_call_output")
KNOWN_ITEMS = (None, "message", "reasoning", *CALLS, *RESULTS)
KNOWN_TOOLS = ("function", "custom", "namespace")


def decode(content: Mapping[str, Any]) -> Chat:
    """The chat in a body of `/v1/responses`."""
    dropped = FIELDS.sift(content)
    tools, items, choice = objects(content, "tools"), _items(content), choice_of(content)
    instructions = take(content, "instructions", str, "")
    return Chat(
        model=take(content, "model", str, ""),
        messages=merged([Message(SYSTEM, (Text(instructions),) if instructions else ()), *_turns(items)]),
        tools=tuple(_tools(tools)),
        tool_choice=choice[0],
        tool_named=choice[1],
        parallel_calls=take(content, "parallel_tool_calls", bool, None),
        options=_options(content),
        stream=take(content, "stream", bool, False),
        usage_wanted=True,
        dropped=once((*dropped, *_unknown(content, tools, items))),
    )


def _unknown(content: Mapping[str, Any], tools: list[dict[str, Any]], items: list[dict[str, Any]]) -> Iterator[str]:
    yield from (f"tools.{tool.get('type')}" for tool in tools if tool.get("type") not in KNOWN_TOOLS)
    yield from (f"input.{item['type']}" for item in items if item.get("type") not in KNOWN_ITEMS)
    if take(take(content, "text", dict, {}), "verbosity", str, "medium") != "medium":
        yield "text.verbosity"
    choice = content.get("tool_choice")
    if isinstance(choice, dict) and not choice.get("name"):
        yield f"tool_choice.{choice.get('type')}"


def _options(content: Mapping[str, Any]) -> Options:
    thinking, effort = effort_of(take(take(content, "reasoning", dict, {}), "effort", str, ""))
    top = take(content, "top_logprobs", int, None)
    return Options(
        max_tokens=take(content, "max_output_tokens", int, None),
        temperature=take(content, "temperature", NUMBER, None),
        top_p=take(content, "top_p", NUMBER, None),
        logprobs=bool(top) or "message.output_text.logprobs" in strings(content, "include"),
        top_logprobs=top,
        form=form_of(take(take(content, "text", dict, {}), "format", dict, {}), "text.format"),
        thinking=thinking,
        effort=effort,
    )


def _tools(tools: list[dict[str, Any]], namespace: str = "") -> Iterator[Tool]:
    for tool in tools:
        name, description = take(tool, "name", str, ""), take(tool, "description", str, "")
        match tool.get("type"):
            case "function":
                strict = take(tool, "strict", bool, None)
                yield Tool(name, description, take(tool, "parameters", dict, {}), strict, namespace)
            case "custom":
                yield Tool(name, _with_grammar(tool, description), FREE_TEXT, None, namespace, free=True)
            case "namespace" if not namespace:
                yield from _tools(objects(tool, "tools"), name)


def _with_grammar(tool: Mapping[str, Any], description: str) -> str:
    """A free tool's description with the grammar of its text, which engines take in no other way."""
    grammar = take(take(tool, "format", dict, {}), "definition", str, "")
    return f"{description}\n\n{grammar}" if grammar else description


def _items(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = take(content, "input", (str, list), [])
    if isinstance(given, str):
        return [{"role": USER, "content": given}] if given else []
    return objects(content, "input")


def _turns(items: list[dict[str, Any]]) -> Iterator[Message]:
    """Items as turns: what the assistant said, thought and called in a row is one."""
    said: list[Part] = []
    for place, item in enumerate(items):
        message = _message(item, f"input[{place}]")
        if message.role == ASSISTANT:
            said.extend(message.parts)
            continue
        yield Message(ASSISTANT, tuple(said))
        said = []
        yield message
    yield Message(ASSISTANT, tuple(said))


def _message(item: Mapping[str, Any], where: str) -> Message:
    kind = item.get("type")
    if kind in CALLS:
        return Message(ASSISTANT, (_call(item),))
    if kind in RESULTS:
        return Message(TOOL, tuple(_result(item, where)))
    if kind == "reasoning":
        told = [*objects(item, "summary"), *objects(item, "content")]
        thoughts = "\n".join(take(part, "text", str, "") for part in told)
        return Message(ASSISTANT, (Thinking(thoughts),) if thoughts else ())
    if kind not in KNOWN_ITEMS:
        return Message(ASSISTANT, ())
    return Message(ROLES.get(take(item, "role", str, USER), USER), tuple(parts_of(item, f"{where}.content")))


def _call(item: Mapping[str, Any]) -> ToolUse:
    name = qualified(take(item, "namespace", str, ""), take(item, "name", str, ""))
    free = item["type"] == "custom_tool_call"
    arguments = json_text({"input": take(item, "input", str, "")}) if free else take(item, "arguments", str, "")
    return ToolUse(take(item, "call_id", str, ""), name, arguments or "{}")


def _result(item: Mapping[str, Any], where: str) -> Iterator[Part]:
    output = take(item, "output", (str, list), "")
    listed = [] if isinstance(output, str) else [part_of(part, f"{where}.output") for part in objects(item, "output")]
    text = output if isinstance(output, str) else Message(TOOL, tuple(listed)).text
    yield ToolResult(take(item, "call_id", str, ""), text)
    yield from (part for part in listed if isinstance(part, Image))
