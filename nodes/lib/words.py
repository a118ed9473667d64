"""Changes in words, for the log that people read."""

from collections.abc import Iterable, Mapping
from datetime import datetime

NOTHING = "nothing"


def shown(value: object) -> str:
    """One value as people write it."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(sorted(map(str, value))) or NOTHING
    return str(value)


def before_and_after(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """`paused: no → yes; url: a → b` for what differs; empty if nothing does."""
    pairs = {name: (shown(before.get(name)), shown(value)) for name, value in after.items()}
    return "; ".join(f"{name}: {was} → {now}" for name, (was, now) in pairs.items() if was != now)


def listed(values: Mapping[str, object]) -> str:
    """`name a; url b` for what is not empty."""
    pairs = {name: shown(value) for name, value in values.items()}
    return "; ".join(f"{name} {text}" for name, text in pairs.items() if text != NOTHING)
