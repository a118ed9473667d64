"""Nodes that speak OpenAI: llama.cpp, vLLM, LM Studio, MLX. What they serve is loaded; nothing is loaded on demand."""

from collections.abc import AsyncGenerator

from nodes.core.values import NodeSnapshot
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.upstreams.base import Head, Over
from routing.upstreams.passthrough import load_seconds, pass_through


class OpenAI:
    """Streams; refuses to load and to unload."""

    def stream(
        self, node: NodeSnapshot, request: InferenceRequest, model: str, over: Over
    ) -> AsyncGenerator[Head | bytes, None]:
        return pass_through(node, request, model, 0.0 if model in node.resident else load_seconds(node, model), over)

    async def load(self, node: NodeSnapshot, model: str, timeout: float, embedding: bool = False) -> None:
        raise UpstreamFailed(f"{node.name} can't load models on demand")

    async def unload(self, node: NodeSnapshot, model: str, embedding: bool = False) -> None:
        raise UpstreamFailed(f"{node.name} can't unload models on demand")
