"""A Chat as Ollama's `/api/chat` takes it, always streamed."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from routing.translation.chat import (
    NONE,
    REQUIRED,
    TOOL,
    Chat,
    Image,
    Message,
    Options,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from routing.translation.engines.outgoing import Outgoing, outgoing, unable
from routing.translation.sifting import refused

PATH = "/api/chat"
OPTIONS = {
    "max_tokens": "num_predict",
    "seed": "seed",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repeat_penalty": "repeat_penalty",
}
DROPS = (
    ("tool_choice", lambda chat: chat.tool_choice == REQUIRED),
    ("parallel_tool_calls", lambda chat: chat.parallel_calls is False),
    ("tools.strict", lambda chat: any(tool.strict for tool in chat.tools)),
)


def to_ollama(chat: Chat) -> Outgoing:
    """The body; raises Problem for what Ollama can't read."""
    options = chat.options
    content = {
        "model": chat.model,
        "messages": list(_messages(chat.messages)),
        "tools": [_tool(tool) for tool in _offered(chat)] or None,
        "stream": True,
        "format": _format(options),
        "options": _options(options) or None,
        "keep_alive": options.keep_alive,
        # Left out, a model that can think would.
        "think": options.effort or bool(options.thinking),
        "logprobs": options.logprobs or None,
        "top_logprobs": options.top_logprobs,
    }
    return outgoing(PATH, content, unable(DROPS, chat))


def _offered(chat: Chat) -> tuple[Tool, ...]:
    """The tools that may be called: Ollama is told of no others, as it reads no choice."""
    if chat.tool_choice == NONE:
        return ()
    named = tuple(tool for tool in chat.tools if chat.tool_named in (tool.name, tool.called))
    return named or chat.tools


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.called, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _format(options: Options) -> Any:
    if options.form is None:
        return None
    return "json" if options.form.schema is None else options.form.schema


def _options(options: Options) -> dict[str, Any]:
    said = {theirs: getattr(options, ours) for ours, theirs in OPTIONS.items()}
    known = {name: value for name, value in said.items() if value is not None}
    return {**options.native, **known, **({"stop": list(options.stop)} if options.stop else {})}


def _messages(messages: tuple[Message, ...]) -> Iterator[dict[str, Any]]:
    names = {call.id: call.name for message in messages for call in message.only(ToolUse)}
    for place, message in enumerate(messages):
        if message.role == TOOL:
            yield from (_result(result, names) for result in message.only(ToolResult))
        else:
            yield _message(message, place)


def _result(result: ToolResult, names: Mapping[str, str]) -> dict[str, Any]:
    name = names.get(result.id)
    named = {"tool_name": name} if name else {}
    return {"role": TOOL, "content": result.text, "tool_call_id": result.id, **named}


def _message(message: Message, place: int) -> dict[str, Any]:
    said = {
        "thinking": "\n".join(thought.text for thought in message.only(Thinking)),
        "images": [_image(image) for image in message.only(Image)],
        "tool_calls": [_call(call, number, place) for number, call in enumerate(message.only(ToolUse))],
    }
    words = message.text if message.only(Text) else ""
    return {"role": message.role, "content": words, **{name: value for name, value in said.items() if value}}


def _image(image: Image) -> str:
    if image.url:
        raise refused("image", "the fleet fetches no addresses; send the picture itself, as base64")
    return image.data


def _call(call: ToolUse, number: int, place: int) -> dict[str, Any]:
    """Ollama wants arguments as an object."""
    try:
        arguments = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError:
        arguments = None
    if not isinstance(arguments, dict):
        raise refused(f"messages[{place}].tool_calls[{number}]", "its arguments are no JSON object")
    return {"id": call.id, "function": {"index": number, "name": call.name, "arguments": arguments}}
