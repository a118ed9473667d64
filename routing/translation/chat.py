"""What all dialects mean by a chat: messages of parts, tools, options. No dialect's wire name lives here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
AUTO, NONE, REQUIRED = "auto", "none", "required"
# How base64 of a picture begins, by its kind.
PICTURES = {"/9j/": "image/jpeg", "iVBOR": "image/png", "R0lG": "image/gif", "UklG": "image/webp"}


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its base64, or the address where the engine is to find it."""

    data: str = ""
    media_type: str = "image/png"
    url: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """What the model thought in an earlier turn."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call that the model made in an earlier turn; its arguments as JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave."""

    id: str
    text: str


Part = Text | Image | Thinking | ToolUse | ToolResult
P = TypeVar("P", Text, Image, Thinking, ToolUse, ToolResult)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn."""

    role: str  # system | user | assistant | tool
    parts: tuple[Part, ...]

    def only(self, kind: type[P]) -> tuple[P, ...]:
        """Its parts of one kind."""
        return tuple(part for part in self.parts if isinstance(part, kind))

    @property
    def text(self) -> str:
        """Its words; parts stand on lines of their own."""
        return "\n".join(part.text for part in self.only(Text))


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call. `free`: it takes plain text, carried as its one parameter `input`."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    strict: bool | None = None
    namespace: str = ""
    free: bool = False

    @property
    def called(self) -> str:
        """Its name at the engine, which knows no namespaces."""
        return qualified(self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class Form:
    """The form an answer shall have: any JSON object, or one of a schema."""

    schema: Mapping[str, Any] | None = None
    name: str = "answer"
    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """How to answer; None: nothing was said of it."""

    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repeat_penalty: float | None = None
    logprobs: bool = False
    top_logprobs: int | None = None
    form: Form | None = None
    thinking: bool | None = None  # None: not asked for; never switched on by that
    effort: str = ""  # low | medium | high, as far as the client said
    native: Mapping[str, Any] = field(default_factory=dict)  # Ollama's own, which no other engine takes
    keep_alive: Any = None


@dataclass(frozen=True, slots=True)
class Chat:
    """One request. `dropped` names the fields that no engine could be told of."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: str = AUTO  # auto | none | required
    tool_named: str = ""  # with required: this one
    parallel_calls: bool | None = None
    options: Options = Options()
    stream: bool = False
    usage_wanted: bool = False  # OpenAI's clients get figures in a stream only if they ask
    dropped: tuple[str, ...] = ()


def without_thinking(chat: Chat) -> Chat:
    """The same for a model that can't think: it is not asked to, and that is named."""
    if not chat.options.thinking:
        return chat
    return replace(chat, options=replace(chat.options, thinking=None, effort=""), dropped=(*chat.dropped, "thinking"))


def qualified(namespace: str, name: str) -> str:
    """A tool's name with its namespace, in letters that every engine takes."""
    return f"{namespace}__{name}" if namespace else name


def picture(base64: str) -> Image:
    """A picture whose kind is told by its first bytes."""
    kind = next((kind for start, kind in PICTURES.items() if base64.startswith(start)), "image/png")
    return Image(base64, kind)


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same turns as engines want them: none empty, system words in front, pictures of results after the results."""
    turns = [message for message in messages if message.parts]
    words = [message.text for message in turns if message.role == SYSTEM and message.text]
    rest = tuple(_pictures_after_results(message for message in turns if message.role != SYSTEM))
    return (Message(SYSTEM, (Text("\n\n".join(words)),)), *rest) if words else rest


def _pictures_after_results(turns: Iterable[Message]) -> Iterator[Message]:
    shown: list[Part] = []
    for turn in turns:
        if turn.role == TOOL:
            shown.extend(turn.only(Image))
            yield Message(TOOL, turn.only(ToolResult))
        elif turn.role == USER:
            yield Message(USER, (*shown, *turn.parts))
            shown = []
        else:
            yield from [Message(USER, tuple(shown))] if shown else ()
            yield turn
            shown = []
    if shown:
        yield Message(USER, tuple(shown))
