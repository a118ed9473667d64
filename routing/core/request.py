"""One inference request, as the router understands it; and what of it the scorer needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Demand:
    """What a request asks of a node. Models in normal form, the primary first."""

    models: tuple[str, ...]
    estimated_tokens: int = 0
    needs: frozenset[str] = frozenset()  # vision | tools | embedding | ollama_api


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """One request on its way: what the client sent, and what was understood of it."""

    id: str
    dialect: str  # ollama | openai
    path: str
    body: bytes
    content: Mapping[str, Any]
    asked: str  # the model as the client wrote it
    demand: Demand
    stream: bool
    arrived: float
    headers: tuple[tuple[str, str], ...] = ()  # those that go on to the engine
    session: str | None = None  # HMAC; never the client's own words
    tags: tuple[str, ...] = ()
    key: str = ""  # the API key's name
    client: str = ""  # the address it came from
    prompt_tokens: int = 0  # of the estimated tokens the prompt's; 0: not estimated
