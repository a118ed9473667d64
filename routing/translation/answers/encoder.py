"""What every dialect's writer of answers can do."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from routing.translation.chat import Chat
from routing.translation.events import Event, ToolCall


@dataclass(frozen=True, slots=True)
class Marks:
    """What sets this answer apart: its id (letters and digits), when it was made (seconds), what the prompt weighs."""

    id: str
    at: float
    prompt_tokens: int = 1  # estimated; told where a dialect wants a figure before the engine gives one


class Encoder(ABC):
    """One answer to one client."""

    def __init__(self, chat: Chat, marks: Marks) -> None:
        self.chat, self.marks = chat, marks

    @abstractmethod
    def event(self, event: Event) -> bytes:
        """The bytes that this event adds to the stream; may be none."""

    @abstractmethod
    def whole(self, events: Sequence[Event]) -> bytes:
        """The whole answer as one body; raises UpstreamFailed for a stream that broke."""

    def call_id(self, call: ToolCall) -> str:
        """The engine's own id of a call, else one that no other call of any answer has."""
        return call.id or f"call_{self.marks.id}{call.index:02}"
