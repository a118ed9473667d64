"""Checks JSON against a table of fields: values out, or a sentence that names the field.

A kind is a function (value, field's name) → value that raises Misshapen. Fields that no table names are ignored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

Kind = Callable[[Any, str], Any]


@dataclass(eq=False)
class Misshapen(ValueError):
    """A field that is not what it must be."""

    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} {self.reason}"


@dataclass(frozen=True, slots=True)
class Optional:
    """A field that may be missing or null; then it has this value."""

    kind: Kind
    default: Any = None


Fields = Mapping[str, Kind | Optional]


def record(fields: Fields) -> Kind:
    """An object with these fields."""

    def check(given: Any, name: str) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise Misshapen(name, "must be an object")
        return {key: _field(given, key, kind, f"{name}.{key}".lstrip(".")) for key, kind in fields.items()}

    return check


def several(kind: Kind, most: int) -> Kind:
    """A list of at most `most`."""

    def check(given: Any, name: str) -> list[Any]:
        if not isinstance(given, list) or len(given) > most:
            raise Misshapen(name, f"must be a list of at most {most}")
        return [kind(item, f"{name}[{i}]") for i, item in enumerate(given)]

    return check


def number(lo: float, hi: float) -> Kind:
    """A finite number in this range."""

    def check(given: Any, name: str) -> float:
        if (
            isinstance(given, bool)
            or not isinstance(given, int | float)
            or not isfinite(given)
            or not lo <= given <= hi
        ):
            raise Misshapen(name, f"must be a number from {lo:.15g} to {hi:.15g}")
        return float(given)

    return check


def whole(lo: int, hi: int) -> Kind:
    """A whole number in this range."""

    def check(given: Any, name: str) -> int:
        if isinstance(given, bool) or not isinstance(given, int) or not lo <= given <= hi:
            raise Misshapen(name, f"must be a whole number from {lo} to {hi}")
        return given

    return check


def text(most: int, least: int = 0) -> Kind:
    """A text of at least `least` and at most `most` characters."""

    def check(given: Any, name: str) -> str:
        if not isinstance(given, str) or not least <= len(given.strip()) <= most:
            raise Misshapen(name, f"must be a text of {least} to {most} characters")
        return given.strip()

    return check


def boolean(given: Any, name: str) -> bool:
    """True or false."""
    if not isinstance(given, bool):
        raise Misshapen(name, "must be true or false")
    return given


def anything(given: Any, name: str) -> dict[str, Any]:
    """An object with whatever fields."""
    if not isinstance(given, dict):
        raise Misshapen(name, "must be an object")
    return given


def one_of(*choices: Any) -> Kind:
    """One of these values."""

    def check(given: Any, name: str) -> Any:
        if not any(type(given) is type(choice) and given == choice for choice in choices):
            raise Misshapen(name, f"must be one of: {', '.join(map(str, choices))}")
        return given

    return check


def _field(given: Mapping[str, Any], key: str, kind: Kind | Optional, name: str) -> Any:
    value = given.get(key)
    if not isinstance(kind, Optional):
        if key not in given:
            raise Misshapen(name, "is missing")
        return kind(value, name)
    return kind.default if value is None else kind.kind(value, name)
