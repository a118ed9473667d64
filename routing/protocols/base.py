"""What clients speak: one pure adapter a dialect, one small interface."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from routing.core.problems import Problem

CHAT, COMPLETION, EMBEDDING = "chat", "completion", "embedding"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the router must know of a body; everything else in it is the engine's business."""

    model: str
    stream: bool
    needs: frozenset[str] = frozenset()
    fallbacks: tuple[str, ...] = ()
    tokens: int = 1  # spec §2, estimated tokens
    prompt_tokens: int = 0  # of these the prompt's; 0: not estimated
    session: str | None = None  # the conversation's own mark: a field, or its opening words
    tags: tuple[str, ...] = ()
    context: int = 0  # tokens that are asked for; 0: as the engine likes
    tuned: bool = False  # the model is to be loaded in another way than usual


@dataclass(frozen=True, slots=True)
class Ending:
    """What the end of an engine's answer proves. Token counts the engine did not report are None."""

    complete: bool
    error: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of our own: status, body, headers."""

    status: int
    body: bytes
    content_type: bytes = b"application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class Protocol(ABC):
    """One dialect."""

    name: str
    paths: Mapping[str, str]  # inference path → CHAT, COMPLETION or EMBEDDING

    @abstractmethod
    def read(self, path: str, content: Mapping[str, Any]) -> Reading:
        """What a body asks for; raises Problem in the engine's own words."""

    @abstractmethod
    def problem(self, problem: Problem) -> Answer:
        """The dialect's own error."""

    @abstractmethod
    def broken(self, message: str, tail: bytes) -> bytes:
        """What ends a stream that broke off after `tail`: never the dialect's terminal line."""

    @abstractmethod
    def ending(self, path: str, stream: bool, tail: bytes) -> Ending:
        """Read from the last bytes of a stream with status 200, or from a whole answer; never from each chunk."""

    @abstractmethod
    def unknown_model(self, path: str, model: str) -> str:
        """The engine's words for a model that nobody has."""
