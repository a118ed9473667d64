"""`upstream_for(node)`: the adapter of a node's engine."""

from collections.abc import Mapping

from nodes.core.values import NodeSnapshot
from routing.upstreams.base import Head, Over, Upstream
from routing.upstreams.ollama import Ollama
from routing.upstreams.openai import OpenAI

ENGINES: Mapping[str, Upstream] = {"ollama": Ollama(), "openai": OpenAI()}


def upstream_for(node: NodeSnapshot) -> Upstream:
    """The engine's adapter."""
    return ENGINES[node.engine]


__all__ = ["ENGINES", "Head", "Over", "Upstream", "upstream_for"]
