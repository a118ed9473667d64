"""One request about a model itself: what it says, and who may."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from routing import wire
from routing.core.access import Key
from routing.core.placing import called
from routing.core.problems import Problem
from routing.doors import check_model, refusal
from routing.protocols.fields import invalid, parsed, take
from routing.upstreams import Head

OURS = ("node",)  # fields of the body that are for us
Parts = AsyncGenerator[Head | bytes, None]  # first the Head, then bytes unless it has them all


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client sent; `body` is empty where the answer reads it piece by piece from `receive`."""

    path: str
    method: str
    query: bytes
    headers: Mapping[bytes, bytes]
    receive: wire.Receive
    key: Key | None
    client: str
    body: bytes = b""

    @property
    def who(self) -> str:
        """For the log: the key's name, else the address."""
        return f"key {self.key.name}" if self.key else self.client

    def content(self) -> Mapping[str, Any]:
        """The body, an object; raises Problem."""
        return parsed(self.body)

    def node(self, content: Mapping[str, Any] | None = None) -> NodeSnapshot | None:
        """The node that is named, in the body or as `?node=`; None if none is. Raises Problem."""
        in_query = parse_qs(self.query.decode("latin-1")).get("node", [""])[-1]
        name: str = take(content or {}, "node", str, "") or in_query
        return called(get_fleet().snapshot(), name) if name else None

    def check(self, *models: str) -> None:
        """Raises Problem unless the key may look after models, and may use these."""
        if self.key is not None and not self.key.pull:
            words = f"the API key {self.key.name!r} may not change which models there are; that takes the right to pull"
            raise refusal(403, words)
        check_model(self.key, tuple(map(normal, models)))


@dataclass(frozen=True, slots=True)
class Managed:
    """One path (or, ending in `/`, all below it), its methods, and who answers; `whole`: its body is read first."""

    path: str
    methods: tuple[str, ...]
    answer: Callable[[Asked], Parts]
    whole: bool = True

    def takes(self, path: str) -> bool:
        """Is it this one's?"""
        return path == self.path or (self.path.endswith("/") and path.startswith(self.path))


def named(content: Mapping[str, Any], missing: str, *fields: str) -> str:
    """The model that the first of these fields names, as the client wrote it; Problem (400) in the engine's words."""
    name = next((given for field in fields if (given := take(content, field, str, "").strip())), "")
    if not name:
        raise invalid(missing)
    return name


def sent_on(content: Mapping[str, Any]) -> dict[str, Any]:
    """What of a body an engine gets."""
    return {name: value for name, value in content.items() if name not in OURS}


def streams(content: Mapping[str, Any]) -> bool:
    """Does the client want news as they come? Unless it says no."""
    wanted: bool = take(content, "stream", bool, True)
    return wanted


def not_found(words: str) -> Problem:
    """Nobody has it."""
    return Problem("unknown_model", 404, words)
