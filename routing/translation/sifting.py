"""Which fields of a body are understood, which change nothing, which are dropped by name, which are refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from routing.core.problems import Problem, too_deep
from routing.protocols.fields import invalid
from routing.translation.chat import Image, picture


@dataclass(frozen=True, slots=True)
class Fields:
    """One dialect's fields. What is in none of the three is dropped, and named."""

    understood: frozenset[str]
    idle: frozenset[str]  # says nothing to an engine: accounting, caching, hints
    refused: Mapping[str, str] = field(default_factory=dict)  # without it the answer would be another: why not
    usual: Mapping[str, Any] = field(default_factory=dict)  # a value that says what is so anyway

    def sift(self, content: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of what is dropped; raises Problem for what can't be."""
        said = {name: value for name, value in content.items() if value not in (None, False, [], {}, "")}
        said = {name: value for name, value in said.items() if name not in self.usual or value != self.usual[name]}
        for name, why in self.refused.items():
            if name in said:
                raise refused(name, why)
        return tuple(name for name in said if name not in self.understood and name not in self.idle)


def refused(field_name: str, why: str) -> Problem:
    """A field that can't be carried to the engine of this model."""
    return invalid(f"{field_name}: {why}")


def words(*names: str) -> frozenset[str]:
    """Names written as lines of words."""
    return frozenset(" ".join(names).split())


def image_at(url: str, where: str) -> Image:
    """A picture from a data URL, or by its address; raises Problem for a data URL that is none."""
    if not url.startswith("data:"):
        return Image(url=url)
    head, comma, data = url.partition(",")
    if not comma or not head.endswith(";base64"):
        raise refused(where, "send the image as data:image/…;base64,…")
    kind = head.removeprefix("data:").partition(";")[0]
    return Image(data, kind) if kind.startswith("image/") else picture(data)


def json_text(value: Any) -> str:
    """A JSON value of a body as text; raises Problem for one too deep."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:
        raise too_deep() from error


def once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order."""
    return tuple(dict.fromkeys(names))
