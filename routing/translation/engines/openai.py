"""A Chat as OpenAI's chat completions take it, always streamed and with its figures."""

from collections.abc import Iterator
from typing import Any

from routing.translation.chat import (
    TOOL,
    Chat,
    Form,
    Image,
    Message,
    Options,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from routing.translation.engines.outgoing import Outgoing, outgoing
from routing.translation.sifting import refused

PATH = "/v1/chat/completions"
# llama.cpp and LM Studio say repeat_penalty, vLLM repetition_penalty; each passes over the other's word.
OPTIONS = {
    "max_tokens": ("max_tokens",),
    "seed": ("seed",),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "top_k": ("top_k",),
    "min_p": ("min_p",),
    "presence_penalty": ("presence_penalty",),
    "frequency_penalty": ("frequency_penalty",),
    "repeat_penalty": ("repeat_penalty", "repetition_penalty"),
}
NO_PARAMETERS = {"type": "object", "properties": {}}


def to_openai(chat: Chat) -> Outgoing:
    """The body; raises Problem for a chat without a message."""
    if not chat.messages:
        raise refused("messages", "there are none; this engine keeps its models loaded, so there is nothing to load")
    content = {
        "model": chat.model,
        "messages": [out for message in chat.messages for out in _message(message)],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [_tool(tool) for tool in chat.tools] or None,
        "tool_choice": _choice(chat) if chat.tools else None,
        "parallel_tool_calls": chat.parallel_calls if chat.tools else None,
        **_options(chat.options),
    }
    return outgoing(PATH, content, (*chat.dropped, *_native(chat.options)))


def _native(options: Options) -> Iterator[str]:
    """What only Ollama knows."""
    yield from (f"options.{name}" for name in options.native)
    if options.keep_alive is not None:
        yield "keep_alive"


def _choice(chat: Chat) -> Any:
    if not chat.tool_named:
        return chat.tool_choice
    called = next((tool.called for tool in chat.tools if chat.tool_named == tool.name), chat.tool_named)
    return {"type": "function", "function": {"name": called}}


def _tool(tool: Tool) -> dict[str, Any]:
    strict = {} if tool.strict is None else {"strict": tool.strict}
    parameters = tool.parameters or NO_PARAMETERS
    function = {"name": tool.called, "description": tool.description, "parameters": parameters, **strict}
    return {"type": "function", "function": function}


def _options(options: Options) -> dict[str, Any]:
    known = {theirs: getattr(options, ours) for ours, names in OPTIONS.items() for theirs in names}
    return known | {
        "stop": list(options.stop) or None,
        "logprobs": options.logprobs or None,
        "top_logprobs": options.top_logprobs if options.logprobs else None,
        "response_format": _format(options.form) if options.form else None,
        "reasoning_effort": options.effort or None,
        "chat_template_kwargs": None if options.thinking is None else {"enable_thinking": options.thinking},
    }


def _format(form: Form) -> dict[str, Any]:
    if form.schema is None:
        return {"type": "json_object"}
    strict = {} if form.strict is None else {"strict": form.strict}
    return {"type": "json_schema", "json_schema": {"name": form.name, "schema": form.schema, **strict}}


def _message(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == TOOL:
        for result in message.only(ToolResult):
            yield {"role": TOOL, "tool_call_id": result.id, "content": result.text}
        return
    thoughts = "\n".join(thought.text for thought in message.only(Thinking))
    calls = [_call(call) for call in message.only(ToolUse)]
    said = {"reasoning_content": thoughts, "tool_calls": calls}
    yield {"role": message.role, "content": _content(message), **{name: v for name, v in said.items() if v}}


def _content(message: Message) -> Any:
    """Text, as every template takes it; a list of parts only where there are pictures; null beside calls alone."""
    if message.only(Image):
        return [_part(part) for part in message.parts if isinstance(part, Text | Image)]
    return None if message.only(ToolUse) and not message.text else message.text


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": part.url or f"data:{part.media_type};base64,{part.data}"}}


def _call(call: ToolUse) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
