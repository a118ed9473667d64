"""What a request says, read as Ollama reads it, with Go's words for what is wrong."""

import json
import re
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from nodes.core.names import normal
from nodes.simulated.answer import PARTS
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import FOREVER, ModelFile

Body = dict[str, Any]
UNITS: Mapping[str, float] = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
DURATION = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+")
DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)")

# Python's complaint about JSON → the end of Go's.
COMPLAINTS: Mapping[str, str] = {
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Expecting value": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after object key:value pair",
    "Extra data": "after top-level value",
}
TYPES: Mapping[str, tuple[type, str]] = {
    "model": (str, "string"),
    "prompt": (str, "string"),
    "stream": (bool, "bool"),
    "max_tokens": (int, "int"),
    "messages": (list, "[]api.Message"),
    "tools": (list, "api.Tools"),
    "options": (dict, "map[string]interface {}"),
}
GO_NAMES: Mapping[type, str] = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}


async def read(request: web.Request) -> Body:
    """The body, an object whose known fields have their types; absent and null are the same."""
    raw = await request.read()
    if not raw:
        raise EngineError(400, "missing request body")
    try:
        body = json.loads(raw)
    except json.JSONDecodeError as error:
        raise EngineError(400, _complaint(error)) from error
    except UnicodeDecodeError as error:
        raise EngineError(400, "invalid character looking for beginning of value") from error
    if not isinstance(body, dict):
        raise EngineError(400, f"json: cannot unmarshal {_go_name(body)} into Go value of type api.Request")
    for name, (kind, go_type) in TYPES.items():
        _check(name, body.get(name), kind, go_type)
    _check_messages(body.get("messages") or ())
    return {name: value for name, value in body.items() if value is not None}


def find(request: web.Request, asked: str, missing: str = "model '{}' not found") -> ModelFile:
    """The model on this disk; else 404 in the route's own spelling."""
    file = request.app[PARTS].engine.files.get(normal(asked)) if asked else None
    if file is None:
        raise EngineError(404, missing.format(asked))
    return file


def required_model(body: Body) -> str:
    """The model's name as the client wrote it."""
    asked = body.get("model") or body.get("name")
    if not asked:
        raise EngineError(400, "model is required")
    return str(asked)


def keep_alive(body: Body) -> float | None:
    """Seconds; a negative duration is for ever."""
    given = body.get("keep_alive")
    seconds = _seconds(given) if isinstance(given, str) else given
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise EngineError(400, f"json: cannot unmarshal {_go_name(given)} into Go value of type api.Duration")
    return FOREVER if seconds is not None and seconds < 0 else seconds


def option(body: Body, name: str) -> int | None:
    """A whole number among the options; a limit below 0 is none."""
    value = body.get("options", {}).get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise EngineError(500, f'option "{name}" must be of type integer')
    return value if value is None or value >= 0 else None


def cut(tokens: int, context: int) -> int:
    """Prompt tokens that are left when a prompt does not fit: about half the context, and no word of it."""
    return tokens if tokens < context else context - (context - 4) // 2


def _complaint(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc):
        return "unexpected EOF"
    where = COMPLAINTS.get(error.msg.split(":")[0] if "delimiter" not in error.msg else error.msg)
    return f"invalid character '{error.doc[error.pos]}' {where or 'in string literal'}"


def _check(name: str, value: object, kind: type, go_type: str) -> None:
    if value is not None and not isinstance(value, kind):
        message = f"json: cannot unmarshal {_go_name(value)} into Go struct field .{name} of type {go_type}"
        raise EngineError(400, message)


def _check_messages(messages: Any) -> None:
    for message in messages:
        if not isinstance(message, dict):
            text = f"json: cannot unmarshal {_go_name(message)} into Go struct field .messages of type api.Message"
            raise EngineError(400, text)


def _go_name(value: object) -> str:
    return GO_NAMES.get(type(value), "object")


def _seconds(text: str) -> float:
    if not DURATION.fullmatch(text):
        raise EngineError(400, f'time: invalid duration "{text}"')
    total = sum(float(number) * UNITS[unit] for number, unit in DURATION_PART.findall(text))
    return -total if text.startswith("-") else total
