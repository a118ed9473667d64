"""Reading what engines write: numbers that may be absent, zero or text, times in RFC 3339."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any


def entries(content: Mapping[str, Any], key: str, name: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a list that have a name; whatever else stands there is skipped."""
    listed = content.get(key)
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get(name), str) and entry[name].strip():
            yield entry


def positive(given: object) -> float | None:
    """A number above zero; None for anything else: 0 is how engines say that they don't know."""
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) and given > 0 else None


def whole(given: object) -> int | None:
    """A whole number above zero, else None."""
    number = positive(given)
    return int(number) if number is not None and number >= 1 else None


def gigabytes(given: object) -> float | None:
    """Bytes as GB; None if they are not known."""
    number = positive(given)
    return number / 1e9 if number is not None else None


def epoch(given: object) -> float | None:
    """An RFC 3339 time as epoch seconds; None if it is none, or Go's zero time."""
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        return None
    if moment is None or moment.year < 1970:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def texts(given: object) -> frozenset[str] | None:
    """A list of texts as a set; None if it is empty or no list."""
    found = frozenset(t for t in given if isinstance(t, str)) if isinstance(given, list) else frozenset()
    return found or None


def text(given: object) -> str:
    """A text, else an empty one."""
    return given if isinstance(given, str) else ""


def mapping(given: object) -> Mapping[str, Any]:
    """An object, else an empty one."""
    return given if isinstance(given, dict) else {}
