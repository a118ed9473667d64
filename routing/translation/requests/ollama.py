"""Ollama's `/api/chat` and `/api/generate`."""

from collections.abc import Iterator, Mapping
from typing import Any

from routing.protocols.fields import objects, strings, take
from routing.translation.chat import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    USER,
    Chat,
    Form,
    Message,
    Options,
    Part,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
    merged,
    picture,
)
from routing.translation.requests.shared import EFFORTS, NUMBER
from routing.translation.sifting import Fields, json_text, refused, words

CHAT = Fields(
    words("model messages tools stream format options keep_alive think logprobs top_logprobs"),
    words("metadata fallback_models"),
)
ONLY_OLLAMA = "only an Ollama node can do this"
GENERATE = Fields(
    words("model prompt system images stream format options keep_alive think logprobs top_logprobs"),
    words("metadata fallback_models"),
    dict.fromkeys(("suffix", "template", "raw", "context"), ONLY_OLLAMA),
)
# Ollama's options that all engines know, with their types; the rest stay Ollama's own.
OPTIONS: Mapping[str, tuple[str, Any]] = {
    "num_predict": ("max_tokens", int),
    "seed": ("seed", int),
    "temperature": ("temperature", NUMBER),
    "top_p": ("top_p", NUMBER),
    "top_k": ("top_k", int),
    "min_p": ("min_p", NUMBER),
    "presence_penalty": ("presence_penalty", NUMBER),
    "frequency_penalty": ("frequency_penalty", NUMBER),
    "repeat_penalty": ("repeat_penalty", NUMBER),
}


def decode_chat(content: Mapping[str, Any]) -> Chat:
    """The chat in a body of `/api/chat`."""
    dropped = CHAT.sift(content)
    return _chat(content, tuple(_messages(objects(content, "messages"))), dropped)


def decode_generate(content: Mapping[str, Any]) -> Chat:
    """The chat that a body of `/api/generate` amounts to: one turn, after the system's words."""
    dropped = GENERATE.sift(content)
    prompt, system = take(content, "prompt", str, ""), take(content, "system", str, "")
    images = tuple(picture(data) for data in strings(content, "images"))
    turn = (*((Text(prompt),) if prompt else ()), *images)
    return _chat(content, (Message(SYSTEM, (Text(system),) if system else ()), Message(USER, turn)), dropped)


def _chat(content: Mapping[str, Any], messages: tuple[Message, ...], dropped: tuple[str, ...]) -> Chat:
    return Chat(
        model=take(content, "model", str, ""),
        messages=merged(messages),
        tools=tuple(_tools(objects(content, "tools"))),
        options=options_of(content),
        stream=take(content, "stream", bool, True),
        dropped=dropped,
    )


def options_of(content: Mapping[str, Any]) -> Options:
    """Sampling, limits, form and thinking, in Ollama's spellings."""
    given: Mapping[str, Any] = take(content, "options", dict, {})
    known = {field: take(given, name, kinds, None) for name, (field, kinds) in OPTIONS.items()}
    if (known["max_tokens"] or 0) < 0:  # Ollama's word for: without end
        known["max_tokens"] = None
    stop = take(given, "stop", (str, list), ())
    think = content.get("think")
    effort = EFFORTS.get(think, "high") if isinstance(think, str) else ""
    return Options(
        **known,
        stop=(stop,) if isinstance(stop, str) else tuple(map(str, stop)),
        logprobs=take(content, "logprobs", bool, False),
        top_logprobs=take(content, "top_logprobs", int, None),
        form=_form(content),
        thinking=True if effort else take(content, "think", bool, None),
        effort=effort,
        native={name: v for name, v in given.items() if name not in OPTIONS and name != "stop" and v is not None},
        keep_alive=content.get("keep_alive"),
    )


def _form(content: Mapping[str, Any]) -> Form | None:
    form = take(content, "format", (str, dict), "")
    if isinstance(form, dict):
        return Form(form)
    if form not in ("", "json"):
        raise refused("format", 'it is "json" or a JSON schema')
    return Form() if form else None


def _tools(tools: list[dict[str, Any]]) -> Iterator[Tool]:
    for tool in tools:
        function: dict[str, Any] = take(tool, "function", dict, {})
        name, description = take(function, "name", str, ""), take(function, "description", str, "")
        yield Tool(name, description, take(function, "parameters", dict, {}))


def _messages(messages: list[dict[str, Any]]) -> Iterator[Message]:
    open_calls: list[ToolUse] = []  # Ollama's clients may leave out ids: results come in the order of the calls
    for number, message in enumerate(messages):
        role = take(message, "role", str, USER).lower()
        if role == TOOL:
            images = map(picture, strings(message, "images"))
            yield Message(TOOL, (_result(message, number, open_calls), *images))
            continue
        calls = tuple(_calls(message, number))
        open_calls.extend(calls)
        yield Message(role if role in (SYSTEM, ASSISTANT) else USER, (*_parts(message), *calls))


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    thoughts, text = take(message, "thinking", str, ""), take(message, "content", str, "")
    if thoughts:
        yield Thinking(thoughts)
    if text:
        yield Text(text)
    yield from map(picture, strings(message, "images"))


def _calls(message: Mapping[str, Any], number: int) -> Iterator[ToolUse]:
    for place, call in enumerate(objects(message, "tool_calls")):
        function: dict[str, Any] = take(call, "function", dict, {})
        arguments = take(function, "arguments", (dict, str), {})
        text = arguments if isinstance(arguments, str) else json_text(arguments)
        yield ToolUse(take(call, "id", str, "") or f"call_{number}_{place}", take(function, "name", str, ""), text)


def _result(message: Mapping[str, Any], number: int, open_calls: list[ToolUse]) -> ToolResult:
    id, name = take(message, "tool_call_id", str, ""), take(message, "tool_name", str, "")
    fitting = (call for call in open_calls if (call.id == id if id else name in ("", call.name)))
    call = next(fitting, None)
    if call:
        open_calls.remove(call)
    return ToolResult(id or (call.id if call else f"call_{number}"), take(message, "content", str, ""))
