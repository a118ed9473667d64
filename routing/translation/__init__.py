"""Where a node lacks the client's route: the request in the engine's words, the answer in the client's.

`DIALECTS[path].decode(body)` gives a Chat; `TARGETS[engine]` puts it to the engine and reads what comes back;
`DIALECTS[path].encoder(chat, marks)` tells it to the client. What can't be carried is refused, or dropped by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from routing.translation.answers.anthropic_messages import AnthropicMessages
from routing.translation.answers.encoder import Encoder, Marks
from routing.translation.answers.ollama import OllamaChat, OllamaGenerate
from routing.translation.answers.openai_chat import OpenAIChat
from routing.translation.answers.openai_responses import OpenAIResponses
from routing.translation.chat import Chat
from routing.translation.engines.ollama import to_ollama
from routing.translation.engines.ollama_events import OllamaEvents
from routing.translation.engines.openai import to_openai
from routing.translation.engines.openai_events import OpenAIEvents
from routing.translation.engines.outgoing import Outgoing
from routing.translation.engines.reader import Reader
from routing.translation.requests import anthropic_messages, ollama, openai_chat, openai_responses

SSE, NDJSON = b"text/event-stream", b"application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a client speaks on one path."""

    decode: Callable[[Mapping[str, Any]], Chat]
    encoder: Callable[[Chat, Marks], Encoder]
    stream_type: bytes  # the content type of a stream; whole answers are application/json


@dataclass(frozen=True, slots=True)
class Target:
    """What an engine speaks."""

    render: Callable[[Chat], Outgoing]
    events: Callable[[], Reader]


DIALECTS: Mapping[str, Dialect] = {
    "/api/chat": Dialect(ollama.decode_chat, OllamaChat, NDJSON),
    "/api/generate": Dialect(ollama.decode_generate, OllamaGenerate, NDJSON),
    "/v1/chat/completions": Dialect(openai_chat.decode, OpenAIChat, SSE),
    "/v1/responses": Dialect(openai_responses.decode, OpenAIResponses, SSE),
    "/v1/messages": Dialect(anthropic_messages.decode, AnthropicMessages, SSE),
}
TARGETS: Mapping[str, Target] = {
    "ollama": Target(to_ollama, OllamaEvents),
    "openai": Target(to_openai, OpenAIEvents),
}

__all__ = ["DIALECTS", "TARGETS", "Chat", "Dialect", "Encoder", "Marks", "Outgoing", "Reader", "Target"]
