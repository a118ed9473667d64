"""What the router asks of an engine."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Protocol

from nodes.core.values import NodeSnapshot
from routing.core.request import InferenceRequest

Over = Callable[[], bool]  # has the answer's terminal line passed? Asked only of an engine that has fallen silent


@dataclass(frozen=True, slots=True)
class Head:
    """An engine's status and the headers that go on to the client; known with the first byte of the answer.

    `body`: the whole answer, when it was not streamed or is an error; then nothing follows.
    """

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes | None = None


class Upstream(Protocol):
    """One kind of engine."""

    def stream(
        self, node: NodeSnapshot, request: InferenceRequest, model: str, over: Over
    ) -> AsyncGenerator[Head | bytes, None]:
        """First the Head, then bytes as they come. Raises UpstreamFailed; closing it closes the connection."""

    async def load(self, node: NodeSnapshot, model: str, timeout: float, embedding: bool = False) -> None:
        """Load a model without asking it anything; returns once it is resident. Raises UpstreamFailed."""

    async def unload(self, node: NodeSnapshot, model: str, embedding: bool = False) -> None:
        """Unload a model. Raises UpstreamFailed."""
