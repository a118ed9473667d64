"""Reading JSON that strangers wrote: every value checked, every complaint naming the field."""

from collections.abc import Iterator, Mapping
from typing import Any

INFINITE = float("inf")


class BadCase(ValueError):
    """A case that can't be read; the message names the field and says what is wrong."""


class Reader:
    """One JSON object. A missing key and null are the same: the default."""

    def __init__(self, given: object, path: str) -> None:
        if not isinstance(given, dict):
            raise BadCase(f"{path or 'the case'}: {_shown(given)} is not an object")
        self.given: Mapping[str, Any] = given
        self.path = path

    def at(self, key: str) -> str:
        """The full name of a field: `nodes[0].memory.total_gb`."""
        return f"{self.path}.{key}" if self.path else key

    def number(self, key: str, least: float = 0.0) -> float | None:
        """A finite number, not below `least`; None if it is not given."""
        value = self.given.get(key)
        return None if value is None else _number(value, self.at(key), least)

    def count(self, key: str) -> int | None:
        """A whole number, not negative; None if it is not given."""
        value = self.number(key)
        if value is not None and value != int(value):
            raise BadCase(f"{self.at(key)}: {value} is not a whole number")
        return None if value is None else int(value)

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.given.get(key)
        if value is not None and not isinstance(value, bool):
            raise BadCase(f"{self.at(key)}: {_shown(value)} is neither true nor false")
        return default if value is None else value

    def text(self, key: str, default: str | None = None, choices: tuple[str, ...] = ()) -> str:
        """A text that is not blank, one of `choices` if there are any; without a default it must be given."""
        value = self.given.get(key)
        if value is None and default is not None:
            return default
        text = _text(value, self.at(key))
        if choices and text not in choices:
            raise BadCase(f"{self.at(key)}: {_shown(text)} is none of {', '.join(choices)}")
        return text

    def object(self, key: str) -> "Reader":
        """The object at this key, an empty one if it is not given."""
        value = self.given.get(key)
        return Reader({} if value is None else value, self.at(key))

    def objects(self, key: str) -> Iterator["Reader"]:
        """The objects of the list at this key."""
        return (Reader(value, f"{self.at(key)}[{i}]") for i, value in enumerate(self._list(key)))

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts of the list at this key."""
        return tuple(_text(value, f"{self.at(key)}[{i}]") for i, value in enumerate(self._list(key)))

    def numbers(self) -> dict[str, float]:
        """Every entry of this object as a finite number, not negative; null is not given."""
        return {key: _number(value, self.at(key), 0.0) for key, value in self.given.items() if value is not None}

    def _list(self, key: str) -> list[Any]:
        value = self.given.get(key)
        if value is not None and not isinstance(value, list):
            raise BadCase(f"{self.at(key)}: {_shown(value)} is not a list")
        return value or []


def _number(value: object, name: str, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < INFINITE:
        raise BadCase(f"{name}: {_shown(value)} is not a number")
    if value < least:
        raise BadCase(f"{name}: {value} is below {least:g}")
    try:
        return float(value)
    except OverflowError as error:
        raise BadCase(f"{name}: {_shown(value)} is too large") from error


def _text(value: object, name: str) -> str:
    if value is None:
        raise BadCase(f"{name}: missing")
    if not isinstance(value, str) or not value.strip():
        raise BadCase(f"{name}: {_shown(value)} is not a name")
    return value


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}…"
