"""Reading fields of a body: the right type, or a Problem that names the field."""

from collections.abc import Mapping
from typing import Any

import orjson

from routing.core.problems import Problem

JSON_NAMES: Mapping[type, str] = {
    dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number", type(None): "null",
}  # fmt: skip
LARGEST_CONTEXT = 2**31 - 1
RUNNER_OPTIONS = ("num_batch", "num_gpu", "main_gpu", "use_mmap", "draft_num_predict")  # besides num_ctx (peers: D8)
WANTED: Mapping[type, str] = {**JSON_NAMES, int: "integer"}


def invalid(message: str, status: int = 400) -> Problem:
    """A request that can't be understood."""
    return Problem("invalid", status, message)


def parsed(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body; Problem in the words of Ollama's parser otherwise."""
    if not body.strip():
        raise invalid("missing request body")
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise invalid(_parser_words(body, error)) from error
    if not isinstance(content, dict):
        raise invalid(f"json: cannot unmarshal {JSON_NAMES[type(content)]} into a request, which is an object")
    return content


def take(content: Mapping[str, Any], name: str, kinds: type | tuple[type, ...], default: Any) -> Any:
    """A field of one of these types; absent or null: the default."""
    value = content.get(name)
    if value is None:
        return default
    if isinstance(value, kinds) and (value.__class__ is not bool or kinds is bool):
        return value
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    names = " or ".join(dict.fromkeys(WANTED[k] for k in wanted))
    raise invalid(f"json: cannot unmarshal {JSON_NAMES[type(value)]} into field {name} of type {names}")


def required_model(content: Mapping[str, Any]) -> str:
    """The model's name as the client wrote it."""
    model: str = take(content, "model", str, "").strip()
    if not model:
        raise invalid("model is required")
    return model


def objects(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects; absent or null: empty."""
    items: list[Any] = take(content, name, list, [])
    for item in items:
        if not isinstance(item, dict):
            raise invalid(f"json: cannot unmarshal {JSON_NAMES[type(item)]} into field {name} of type object")
    return items


def strings(content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts; absent or null: empty."""
    items = take(content, name, list, [])
    for item in items:
        if not isinstance(item, str):
            raise invalid(f"json: cannot unmarshal {JSON_NAMES[type(item)]} into field {name} of type string")
    return tuple(items)


def context(options: Mapping[str, Any]) -> int:
    """The context that is asked for, in tokens; absent or null: 0. Problem for one that no model has."""
    value = options.get("num_ctx")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise invalid('option "num_ctx" must be of type integer')
    if not 1 <= value <= LARGEST_CONTEXT:
        raise invalid(f'option "num_ctx" must be from 1 to {LARGEST_CONTEXT}')
    return int(value)


def tuned(options: Mapping[str, Any]) -> bool:
    """Is the model to be loaded in another way than the engine would by itself?"""
    return any(options.get(name) is not None for name in RUNNER_OPTIONS)


def metadata_tags(content: Mapping[str, Any]) -> tuple[str, ...]:
    """`metadata.tags`, where a client sends them as a list or as comma-separated text."""
    metadata = content.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    if isinstance(tags, str):
        return tuple(t.strip() for t in tags.split(",") if t.strip())
    return tuple(t for t in tags if isinstance(t, str)) if isinstance(tags, list) else ()


def _parser_words(body: bytes, error: orjson.JSONDecodeError) -> str:
    text = body.decode("utf-8", "replace")
    if not error.msg.startswith("unexpected"):  # no single character: too deep, too large a number, no UTF-8
        return f"invalid JSON: {error.msg}"
    if error.pos >= len(text.rstrip()):
        return "unexpected end of JSON input"
    if text[: error.pos].strip():
        return f"invalid character {text[error.pos]!r} at position {error.pos}"
    return f"invalid character {text[error.pos]!r} looking for beginning of value"
