"""What all engines mean by an answer: a stream of events, and the whole answer that they add up to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from routing.core.problems import UpstreamFailed

STOP, LENGTH, TOOL_CALLS, STOP_SEQUENCE, FILTERED = "stop", "length", "tool_calls", "stop_sequence", "content_filter"


@dataclass(frozen=True, slots=True)
class Started:
    """The engine has begun to answer."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words, with what each token weighed if that was asked for."""

    text: str
    logprobs: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More thoughts."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One whole call: arguments as the text of a JSON object; `id` empty where the engine gave none."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as far as the engine counted them."""

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The engine's own terminal line; `stop`: the stop sequence that ended it, where the engine says so."""

    reason: str  # stop | length | tool_calls | stop_sequence | content_filter
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """The answer failed; nothing follows."""

    message: str


Event = Started | TextDelta | ThinkingDelta | ToolCall | Usage | Ended | Broken


@dataclass(frozen=True, slots=True)
class Folded:
    """A whole answer."""

    text: str
    thinking: str
    calls: tuple[ToolCall, ...]
    logprobs: tuple[Mapping[str, Any], ...]
    usage: Usage
    ended: Ended
    pieces: int  # of text and thoughts


def fold(events: Iterable[Event]) -> Folded:
    """The answer that a stream adds up to; raises UpstreamFailed for one that broke or never ended."""
    text: list[TextDelta] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    usage, ended = Usage(), None
    for event in events:
        match event:
            case TextDelta():
                text.append(event)
            case ThinkingDelta():
                thoughts.append(event.text)
            case ToolCall():
                calls.append(event)
            case Usage():
                usage = event
            case Ended():
                ended = event
            case Broken():
                raise UpstreamFailed(event.message)
    if ended is None:
        raise UpstreamFailed("the engine ended the answer without its terminal line")
    logprobs = tuple(one for piece in text for one in piece.logprobs)
    words = "".join(piece.text for piece in text)
    return Folded(words, "".join(thoughts), tuple(calls), logprobs, usage, ended, len(text) + len(thoughts))
