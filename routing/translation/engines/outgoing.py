"""What goes to an engine in place of the client's own body."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from routing.core.problems import too_deep
from routing.translation.chat import Chat
from routing.translation.sifting import once

Drops = Iterable[tuple[str, Callable[[Chat], bool]]]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A path and a body of the engine; `dropped` names what it could not be told."""

    path: str
    body: bytes
    dropped: tuple[str, ...] = ()


def outgoing(path: str, content: Mapping[str, Any], chat: Chat, drops: Drops) -> Outgoing:
    """The body without what was not said, and the names of all that was dropped; raises Problem for one too deep."""
    told = {name: value for name, value in content.items() if value is not None}
    unable = (name for name, said in drops if said(chat))
    try:
        return Outgoing(path, orjson.dumps(told), once((*chat.dropped, *unable)))
    except orjson.JSONEncodeError as error:  # it was JSON when it came: only its depth can be in the way
        raise too_deep() from error
