"""Nodes that speak Ollama: they load on demand and unload when told."""

from collections.abc import AsyncGenerator

import orjson

from nodes.core.values import NodeSnapshot
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.upstreams.base import Head, Over
from routing.upstreams.client import post
from routing.upstreams.passthrough import load_seconds, pass_through, within

JSON_HEADERS = [("Content-Type", "application/json")]


class Ollama:
    """Empty generate loads, `keep_alive: 0` unloads; embedding models only by embed (peers: D4)."""

    def stream(
        self, node: NodeSnapshot, request: InferenceRequest, model: str, over: Over
    ) -> AsyncGenerator[Head | bytes, None]:
        return pass_through(node, request, model, 0.0 if model in node.resident else load_seconds(node, model), over)

    async def load(self, node: NodeSnapshot, model: str, timeout: float, embedding: bool = False) -> None:
        if embedding:
            await _ask(node, "/api/embed", {"model": model, "input": []}, timeout)
        else:
            await _ask(node, "/api/generate", {"model": model, "prompt": "", "stream": False}, timeout)

    async def unload(self, node: NodeSnapshot, model: str, embedding: bool = False) -> None:
        path = "/api/embed" if embedding else "/api/generate"
        await _ask(node, path, {"model": model, "keep_alive": 0, "stream": False}, 30.0)


async def _ask(node: NodeSnapshot, path: str, content: dict[str, object], timeout: float) -> None:
    async with within(node, timeout, "no answer"), post(node, path, orjson.dumps(content), JSON_HEADERS) as answer:
        said = await answer.read()
    if answer.status != 200:
        words = said[:200].decode("utf-8", "replace")
        raise UpstreamFailed(f"{node.name} answered {answer.status}: {words}", answer.status)
