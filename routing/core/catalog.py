"""What is known of models without asking a machine: facts by exact name, never guesses by pattern."""

from collections.abc import Mapping

from nodes.core.names import DEFAULT_TAG
from nodes.core.values import DiskModel

# Memory of the weights in GB, at the quantisation a name stands for.
BY_NAME: Mapping[str, float] = {
    "codestral:22b": 15.0,
    "command-a:111b": 68.0,
    "command-r:35b": 24.0,
    "deepseek-r1:8b": 6.0,
    "deepseek-r1:14b": 10.0,
    "deepseek-r1:32b": 22.0,
    "deepseek-r1:70b": 42.0,
    "deepseek-r1:671b": 350.0,
    "deepseek-v3:671b": 350.0,
    "devstral:24b": 17.0,
    "gemma3:4b": 4.0,
    "gemma3:12b": 9.0,
    "gemma3:27b": 19.0,
    "gemma4:e4b": 4.0,
    "gemma4:12b": 9.0,
    "gemma4:26b-a4b": 17.0,
    "gemma4:31b": 21.0,
    "gpt-oss:120b": 72.0,
    "llama3.1:8b": 6.0,
    "llama3.2:1b": 2.0,
    "llama3.2:3b": 3.0,
    "llama3.2-vision:11b": 8.0,
    "llama3.2-vision:90b": 55.0,
    "llama3.3:70b": 42.0,
    "llava:7b": 5.0,
    "llava:13b": 10.0,
    "llava:34b": 22.0,
    "minicpm-v:8b": 6.0,
    "mistral-nemo:12b": 9.0,
    "moondream:1.8b": 2.0,
    "phi3:mini": 3.5,
    "phi4:14b": 10.0,
    "qwen2.5:72b": 44.0,
    "qwen2.5-coder:1.5b": 2.0,
    "qwen2.5-coder:7b": 5.5,
    "qwen2.5-coder:14b": 10.0,
    "qwen2.5-coder:32b": 22.0,
    "qwen3:4b": 4.0,
    "qwen3:8b": 6.0,
    "qwen3:14b": 10.0,
    "qwen3:30b-a3b": 19.0,
    "qwen3:32b": 22.0,
    "qwen3:235b-a22b": 130.0,
    "qwen3-coder:30b": 19.0,
    "qwen3-vl:32b": 21.0,
    "qwen3.5:122b-a10b": 75.0,
    "qwen3.6:27b": 17.0,
    "qwen3.6:35b-a3b": 23.0,
}
# What the default tag stands for, where it is in the table above.
DEFAULT_TAGS: Mapping[str, str] = {
    "codestral": "22b",
    "command-r": "35b",
    "deepseek-r1": "8b",
    "devstral": "24b",
    "gemma3": "4b",
    "llama3.1": "8b",
    "llama3.2": "3b",
    "llama3.2-vision": "11b",
    "llama3.3": "70b",
    "llava": "7b",
    "minicpm-v": "8b",
    "mistral-nemo": "12b",
    "moondream": "1.8b",
    "phi3": "mini",
    "phi4": "14b",
    "qwen2.5-coder": "7b",
    "qwen3": "8b",
    "qwen3-coder": "30b",
}
# Architectures that Ollama runs one request at a time, whatever OLLAMA_NUM_PARALLEL says.
SERIAL_FAMILIES = frozenset(
    {
        "mllama",
        "qwen3vl",
        "qwen3vlmoe",
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "lfm2",
        "lfm2moe",
        "nemotron_h",
        "nemotron_h_moe",
        "nemotron_h_omni",
    }
)
SERIAL_NAMES = frozenset({"llama3.2-vision", "qwen3-vl", "qwen3.5", "qwen3-next", "lfm2"})
EMBEDDING_FAMILIES = frozenset({"bert", "nomic-bert", "nomic-bert-moe"})
EMBEDDING_NAMES = frozenset(
    {
        "all-minilm",
        "bge-large",
        "bge-m3",
        "embeddinggemma",
        "granite-embedding",
        "mxbai-embed-large",
        "nomic-embed-text",
        "nomic-embed-text-v2-moe",
        "paraphrase-multilingual",
        "qwen3-embedding",
        "snowflake-arctic-embed",
        "snowflake-arctic-embed2",
    }
)


def weights_by_name(model: str) -> float | None:
    """The weights of a well-known model in GB; None for any other."""
    name, _, tag = model.rpartition(":")
    known_as = f"{name}:{DEFAULT_TAGS.get(name, tag)}" if tag == DEFAULT_TAG else model
    return BY_NAME.get(known_as)


def is_embedding(model: str, on_disk: DiskModel | None) -> bool:
    """Does this model only embed? Inventories often leave it unsaid, so family and name count too."""
    says = (on_disk.capabilities if on_disk else None) or frozenset()
    only_embeds = "embedding" in says and "completion" not in says
    return only_embeds or _family(on_disk) in EMBEDDING_FAMILIES or _base(model) in EMBEDDING_NAMES


def is_serial(model: str, on_disk: DiskModel | None) -> bool:
    """Is it of an architecture that runs one request at a time?"""
    family = _family(on_disk)
    return family in SERIAL_FAMILIES if family else _base(model) in SERIAL_NAMES


def _family(on_disk: DiskModel | None) -> str:
    return str(on_disk.details.get("family") or "").lower() if on_disk else ""


def _base(model: str) -> str:
    return model.rsplit("/", 1)[-1].partition(":")[0]
