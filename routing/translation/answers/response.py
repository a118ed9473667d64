"""The `response` object of OpenAI's responses."""

from collections.abc import Sequence
from typing import Any

from routing.translation.answers.encoder import Marks
from routing.translation.chat import Chat, Form, Tool
from routing.translation.events import Usage


def response(
    chat: Chat,
    marks: Marks,
    status: str,
    output: Sequence[dict[str, Any]],
    usage: Usage,
    incomplete_details: dict[str, str] | None = None,
    error: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The response as it stands; nothing of it is stored."""
    options = chat.options
    return {
        "id": f"resp_{marks.id}",
        "object": "response",
        "created_at": int(marks.at),
        "status": status,
        "error": error,
        "incomplete_details": incomplete_details,
        "instructions": None,
        "max_output_tokens": options.max_tokens,
        "metadata": {},
        "model": chat.model,
        "output": list(output),
        "parallel_tool_calls": chat.parallel_calls is not False,
        "previous_response_id": None,
        "reasoning": {"effort": options.effort or None, "summary": None},
        "store": False,
        "temperature": options.temperature,
        "text": {"format": _format(options.form)},
        "tool_choice": {"type": "function", "name": chat.tool_named} if chat.tool_named else chat.tool_choice,
        "tools": [_tool(tool) for tool in chat.tools],
        "top_p": options.top_p,
        "truncation": "disabled",
        "usage": _usage(usage),
    }


def failure(message: str) -> dict[str, str]:
    """What went wrong."""
    return {"code": "server_error", "message": message}


def _format(form: Form | None) -> dict[str, Any]:
    if form is None:
        return {"type": "text"}
    if form.schema is None:
        return {"type": "json_object"}
    return {"type": "json_schema", "name": form.name, "schema": form.schema, "strict": bool(form.strict)}


def _tool(tool: Tool) -> dict[str, Any]:
    spaced = {"namespace": tool.namespace} if tool.namespace else {}
    if tool.free:
        return {"type": "custom", "name": tool.name, "description": tool.description, **spaced}
    told = {"type": "function", "name": tool.name, "description": tool.description, **spaced}
    return {**told, "parameters": tool.parameters, "strict": bool(tool.strict)}


def _usage(usage: Usage) -> dict[str, Any] | None:
    """The figures, if the engine counted."""
    if usage.prompt is None and usage.completion is None:
        return None
    prompt, completion = usage.prompt or 0, usage.completion or 0
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": usage.cached or 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
