"""One normal form of model names, used everywhere."""

from functools import lru_cache

DEFAULT_REGISTRY = "registry.ollama.ai/"
DEFAULT_NAMESPACE = "library/"
DEFAULT_TAG = "latest"


@lru_cache(maxsize=4096)
def normal(name: str) -> str:
    """Lower case, default registry and namespace elided, tag always there: `Qwen2.5` → `qwen2.5:latest`."""
    short = name.strip().lower().removeprefix(DEFAULT_REGISTRY).removeprefix(DEFAULT_NAMESPACE)
    last = short.rsplit("/", 1)[-1]
    return short if ":" in last else f"{short}:{DEFAULT_TAG}"
