"""What goes to an engine in place of the client's own body."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from routing.core.problems import too_deep
from routing.translation.chat import Chat
from routing.translation.sifting import once

# What an engine can't be told, and whether a chat says it.
Drops = Iterable[tuple[str, Callable[[Chat], bool]]]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A path and a body of the engine; `dropped` names what it could not be told."""

    path: str
    body: bytes
    dropped: tuple[str, ...] = ()


def outgoing(path: str, content: Mapping[str, Any], dropped: Iterable[str]) -> Outgoing:
    """The body without what was not said; raises Problem for one too deep to be written."""
    told = {name: value for name, value in content.items() if value is not None}
    try:
        return Outgoing(path, orjson.dumps(told), once(dropped))
    except orjson.JSONEncodeError as error:  # it was JSON when it came: only its depth can be in the way
        raise too_deep() from error


def unable(drops: Drops, chat: Chat) -> tuple[str, ...]:
    """The names of all that is lost of a chat, for its dialect and for its engine."""
    return (*chat.dropped, *(name for name, said in drops if said(chat)))
