"""What kinds of engines do, by nature."""

from collections.abc import Mapping

from nodes.core.values import NodeSnapshot

OLLAMA = "ollama"
# How many requests an engine runs at once when it does not say.
DEFAULT_PARALLEL: Mapping[str, int] = {OLLAMA: 1, "llama.cpp": 1, "vllm": 32}
ANY_OTHER_PARALLEL = 1


def default_parallel(node: NodeSnapshot) -> int:
    """How many requests this kind of engine runs at once unless told otherwise."""
    return DEFAULT_PARALLEL.get(node.flavour or node.engine, ANY_OTHER_PARALLEL)


def is_ollama(node: NodeSnapshot) -> bool:
    """Does it speak Ollama's own API, and so load and unload models on demand?"""
    return node.engine == OLLAMA
