"""The frozen values this process holds now: parameters, keys, aliases. A dictionary by type; no I/O."""

from typing import Any, TypeVar

T = TypeVar("T")
_held: dict[type, Any] = {}


def install(value: object) -> None:
    """From now on `current(type(value))` is this value; whoever took the old one keeps it."""
    _held[type(value)] = value


def current(kind: type[T]) -> T:
    """The value in force; a kind that nobody installed has its defaults."""
    held: T | None = _held.get(kind)
    if held is None:
        held = _held[kind] = kind()
    return held
