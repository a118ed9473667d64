"""One inference request, as the router understands it; and what of it the scorer needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Demand:
    """What a request asks of a node. Models in normal form, the primary first."""

    models: tuple[str, ...]
    estimated_tokens: int = 0
    needs: frozenset[str] = frozenset()  # vision | tools | embedding, and the path it came on


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """One request on its way: what the client sent, and what was understood of it."""

    id: str
    dialect: str  # ollama | openai | responses | anthropic
    path: str
    body: bytes
    content: Mapping[str, Any]
    asked: str  # the model as the client wrote it
    demand: Demand
    stream: bool
    arrived: float
    aliased: bool = False  # `asked` is an operator's name for the first model of the demand
    headers: tuple[tuple[str, str], ...] = ()  # those that go on to the engine
    session: str | None = None  # HMAC; never the client's own words
    tags: tuple[str, ...] = ()
    key: str = ""  # the API key's name
    client: str = ""  # the address it came from
    context: int = 0  # tokens that are asked for; 0: as the engine likes
    tuned: bool = False  # the model is to be loaded in another way than usual
    prompt_tokens: int = 0  # of the estimated tokens the prompt's; 0: not estimated

    @property
    def wanted(self) -> str:
        """The model that is wanted, in words for the client."""
        return self.demand.models[0] if self.aliased else self.asked
