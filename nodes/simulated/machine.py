"""What is simulated: the machine's speed and memory, and the models on its disk."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from nodes.core.names import DEFAULT_NAMESPACE, DEFAULT_REGISTRY, DEFAULT_TAG, normal

GB = 10**9
DEFAULT_CONTEXT = 4096
EMBEDDING_CONTEXT = 512
KV_SHARE = 0.1  # cache of one request at the default context, as a share of the weights
FOREVER = 292.0 * 365.25 * 86400  # the longest duration that Go knows, in seconds
HONEST_TAGS = (0, 34, 1)  # before, the list of models called embedding models completion models
CHAT, EMBEDDING = frozenset({"completion", "tools"}), frozenset({"embedding"})

# Beginning of a name → family and what such a model can do; the first that fits.
KINDS: Mapping[str, tuple[str, frozenset[str]]] = {
    "all-minilm": ("bert", EMBEDDING),
    "nomic-embed": ("nomic-bert", EMBEDDING),
    "mxbai-embed": ("bert", EMBEDDING),
    "bge": ("bert", EMBEDDING),
    "smollm2": ("llama", frozenset({"completion"})),
    "llava": ("llama", frozenset({"completion", "vision"})),
    "llama": ("llama", CHAT),
    "qwen": ("qwen2", CHAT),
    "mistral": ("llama", CHAT),
    "gemma": ("gemma3", CHAT),
    "phi": ("phi3", CHAT),
    "deepseek": ("qwen2", CHAT),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """One simulated machine. A rate of 0 is as fast as possible; sizes are in 10⁹ bytes, times in seconds."""

    engine: str = "ollama"  # ollama | openai (one that speaks only that, in llama.cpp's form)
    version: str = "0.32.2"
    host: str = "127.0.0.1"
    memory_gb: float = 32.0
    tokens_per_second: float = 0.0
    prefill_per_second: float = 0.0
    load_gbps: float = 0.0
    pull_gbps: float = 0.0
    parallel: int = 1  # requests that one runner answers at once
    max_loaded: int = 3
    max_queue: int = 512  # requests that wait for a model to be loaded, beside the one that loads it
    keep_alive: float = 300.0
    context: int = DEFAULT_CONTEXT
    answer_tokens: int = 12  # when the request sets no limit


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One model on a simulated disk; its name is in normal form."""

    name: str
    size_gb: float
    capabilities: frozenset[str] = CHAT
    family: str = "llama"

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return round(self.size_gb * GB)

    @property
    def digest(self) -> str:
        """SHA-256 in hex, the same on every machine that has the same model."""
        return hashlib.sha256(f"{self.name} {self.size}".encode()).hexdigest()

    @property
    def full_name(self) -> str:
        """The name with registry and namespace, as some of Ollama's errors write it."""
        return DEFAULT_REGISTRY + (self.name if "/" in self.name else DEFAULT_NAMESPACE + self.name)

    @property
    def alias(self) -> str:
        """The name as an engine without tags writes it."""
        return self.name.removesuffix(f":{DEFAULT_TAG}")

    @property
    def embeds(self) -> bool:
        """Does it only embed?"""
        return "embedding" in self.capabilities

    def resident_gb(self, context: int, parallel: int) -> float:
        """Weights and the cache of `parallel` requests, 10⁹ bytes in memory."""
        return self.size_gb * (1 + KV_SHARE * parallel * context / DEFAULT_CONTEXT)

    def listed_capabilities(self, version: str) -> list[str]:
        """What the list of models says it can do: not the truth for embedding models of older versions."""
        honest = version_tuple(version) >= HONEST_TAGS
        return sorted(self.capabilities if honest or not self.embeds else {"completion"})

    @property
    def details(self) -> dict[str, object]:
        """The `details` of an inventory entry."""
        head: dict[str, object] = {
            "parent_model": "",
            "format": "gguf",
            "family": self.family,
            "families": [self.family],
        }
        return head | {"parameter_size": self._parameters(), "quantization_level": "F16" if self.embeds else "Q4_K_M"}

    def _parameters(self) -> str:
        tag = re.fullmatch(r"(\d+(?:\.\d+)?[bm])(?:-.*)?", self.name.rsplit(":", 1)[-1])
        return tag[1].upper() if tag else f"{self.size_gb / 0.6:.1f}B"


def version_tuple(version: str) -> tuple[int, ...]:
    """`0.32.2` → (0, 32, 2)."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def model_files(listed: str) -> tuple[ModelFile, ...]:
    """`qwen2.5:7b=4.7,phi4=9.1/completion+vision` → models of 4.7 and 9.1 GB; ValueError says what is wrong."""
    return tuple(_model_file(item) for item in listed.split(",") if item.strip())


def _model_file(item: str) -> ModelFile:
    found = re.fullmatch(r"\s*([^=\s]+)=([\d.]+)(?:/([\w+]+))?\s*", item)
    if not found:
        raise ValueError(f"{item.strip()!r} is no model: write NAME=GB, such as qwen2.5:7b=4.7")
    name = normal(found[1])
    family, able = next((kind for start, kind in KINDS.items() if name.startswith(start)), ("llama", CHAT))
    return ModelFile(name, float(found[2]), frozenset(found[3].split("+")) if found[3] else able, family)
