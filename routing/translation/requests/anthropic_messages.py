"""Anthropic's messages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from routing.protocols.fields import objects, strings, take
from routing.translation.chat import (
    ASSISTANT,
    AUTO,
    NONE,
    REQUIRED,
    SYSTEM,
    TOOL,
    USER,
    Chat,
    Form,
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
)
from routing.translation.requests.shared import EFFORTS, NUMBER
from routing.translation.sifting import Fields, json_text, once, refused, words

FIELDS = Fields(
    words(
        "model messages system max_tokens stop_sequences stream temperature top_p top_k tools tool_choice thinking",
        "output_config output_format",
    ),
    words("metadata service_tier cache_control betas inference_geo fallback_models"),
    {"mcp_servers": "the fleet calls no servers for a model; give it the tools"},
)
RESULT = "tool_result"
CHOICES = {"auto": AUTO, "any": REQUIRED, "tool": REQUIRED, "none": NONE}


def decode(content: Mapping[str, Any]) -> Chat:
    """The chat in a body of `/v1/messages`."""
    dropped = FIELDS.sift(content)
    tools = objects(content, "tools")
    ours = [tool for tool in tools if _is_ours(tool)]
    theirs = (f"tools.{tool['type']}" for tool in tools if not _is_ours(tool))
    choice: dict[str, Any] = take(content, "tool_choice", dict, {})
    turns = [turn for place, message in enumerate(objects(content, "messages")) for turn in _turns(message, place)]
    return Chat(
        model=take(content, "model", str, ""),
        messages=merged([Message(SYSTEM, tuple(_parts(_blocks(content, "system"), "system"))), *turns]),
        tools=tuple(_tool(tool) for tool in ours),
        tool_choice=CHOICES.get(take(choice, "type", str, "auto"), AUTO),
        tool_named=take(choice, "name", str, ""),
        parallel_calls=False if choice.get("disable_parallel_tool_use") else None,
        options=_options(content),
        stream=take(content, "stream", bool, False),
        usage_wanted=True,
        dropped=once((*dropped, *theirs, *_lost(content))),
    )


def _options(content: Mapping[str, Any]) -> Options:
    config: dict[str, Any] = take(content, "output_config", dict, {})
    form: dict[str, Any] = take(config, "format", dict, {}) or take(content, "output_format", dict, {})
    effort = take(config, "effort", str, "")
    thinking = _thinks(content)
    return Options(
        max_tokens=take(content, "max_tokens", int, None),
        stop=strings(content, "stop_sequences"),
        temperature=take(content, "temperature", NUMBER, None),
        top_p=take(content, "top_p", NUMBER, None),
        top_k=take(content, "top_k", int, None),
        form=Form(take(form, "schema", dict, {})) if form.get("type") == "json_schema" else None,
        thinking=thinking,
        effort=EFFORTS.get(effort, "high") if thinking and effort else "",
    )


def _tool(tool: Mapping[str, Any]) -> Tool:
    name, description = take(tool, "name", str, ""), take(tool, "description", str, "")
    return Tool(name, description, take(tool, "input_schema", dict, {}), take(tool, "strict", bool, None))


def _turns(message: Mapping[str, Any], place: int) -> Iterator[Message]:
    """A turn's results of tools first, each a turn of its own, as engines want them; then the rest of it."""
    role = take(message, "role", str, USER)
    where = f"messages[{place}].content"
    blocks = _blocks(message, "content")
    for block in blocks:
        if block.get("type") == RESULT:
            yield Message(TOOL, tuple(_result(block, where)))
    rest = tuple(_parts((block for block in blocks if block.get("type") != RESULT), where))
    yield Message(role if role in (SYSTEM, ASSISTANT) else USER, rest)


def _result(block: Mapping[str, Any], where: str) -> Iterator[Part]:
    parts = tuple(_parts(_blocks(block, "content"), where))
    yield ToolResult(take(block, "tool_use_id", str, ""), Message(TOOL, parts).text)
    yield from (part for part in parts if isinstance(part, Image))


def _parts(blocks: Iterable[Mapping[str, Any]], where: str) -> Iterator[Part]:
    return (part for block in blocks for part in _part(block, where))


def _blocks(owner: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    content = take(owner, name, (str, list), "")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return objects(owner, name)


def _part(block: Mapping[str, Any], where: str) -> Iterator[Part]:
    kind = block.get("type")
    if kind == "text":
        yield Text(take(block, "text", str, ""))
    elif kind == "thinking":
        yield Thinking(take(block, "thinking", str, ""))
    elif kind == "image":
        yield _image(take(block, "source", dict, {}), where)
    elif kind == "tool_use":
        arguments = json_text(take(block, "input", dict, {}))
        yield ToolUse(take(block, "id", str, ""), take(block, "name", str, ""), arguments)
    elif kind == "document" and take(block, "source", dict, {}).get("type") == "text":
        yield Text(take(block["source"], "data", str, ""))
    elif kind != "redacted_thinking":  # which only Anthropic's own models can read
        raise refused(where, f"a block of type {kind!r} can't be carried to the engine of this model; send text")


def _image(source: Mapping[str, Any], where: str) -> Image:
    if source.get("type") == "base64":
        return Image(take(source, "data", str, ""), take(source, "media_type", str, "image/png"))
    if source.get("type") == "url":
        return Image(url=take(source, "url", str, ""))
    raise refused(where, "an image is sent as base64 or by its URL")


def _is_ours(tool: Mapping[str, Any]) -> bool:
    """Is it a tool that the client defines? Others are run, or defined, by Anthropic alone."""
    return tool.get("type") in (None, "custom")


def _lost(content: Mapping[str, Any]) -> Iterator[str]:
    """What only Anthropic's form has: the mark that a tool failed (its words say it too), a budget of thoughts."""
    blocks = (b for message in objects(content, "messages") for b in _blocks(message, "content"))
    if any(block.get("is_error") for block in blocks):
        yield "tool_result.is_error"
    thinking: dict[str, Any] = take(content, "thinking", dict, {})
    if thinking.get("budget_tokens"):
        yield "thinking.budget_tokens"
    if take(content, "output_config", dict, {}).get("effort") and not _thinks(content):
        yield "output_config.effort"


def _thinks(content: Mapping[str, Any]) -> bool:
    """Left out, it is off."""
    return bool(take(take(content, "thinking", dict, {}), "type", str, "disabled") != "disabled")
