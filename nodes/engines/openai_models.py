"""The models in the listings of OpenAI-compatible engines."""

from collections.abc import Mapping
from typing import Any

from nodes.core.names import normal
from nodes.core.values import DiskModel, ResidentModel
from nodes.engines.fields import entries, gigabytes, mapping, positive, text, whole

Models = tuple[list[DiskModel], list[ResidentModel]]
ALL_BUT_VISION = frozenset({"completion", "tools", "embedding"})  # an engine that only says that it can't see
STUDIO_CAPABILITIES = {
    "llm": frozenset({"completion", "tools"}),
    "vlm": frozenset({"completion", "tools", "vision"}),
    "embeddings": frozenset({"embedding"}),
}


def listed(content: Mapping[str, Any], sees: bool | None) -> Models:
    """What such an engine lists is in memory, unless it says that it is not."""
    capabilities = ALL_BUT_VISION if sees is False else None
    models = list(entries(content, "data", "id"))
    loaded = [e for e in models if text(mapping(e.get("status")).get("value")) in ("", "loaded")]
    return [_on_disk(e, capabilities) for e in models], [_resident(e) for e in loaded]


def lmstudio(content: Mapping[str, Any]) -> Models:
    """LM Studio's own listing: each model with its type and state."""
    models = list(entries(content, "data", "id"))
    loaded = [e for e in models if e.get("state") == "loaded"]
    return [_on_disk(e, STUDIO_CAPABILITIES.get(text(e.get("type")))) for e in models], [_resident(e) for e in loaded]


def _on_disk(entry: Mapping[str, Any], capabilities: frozenset[str] | None) -> DiskModel:
    return DiskModel(
        name=normal(entry["id"]),
        size_gb=gigabytes(mapping(entry.get("meta")).get("size")),
        capabilities=capabilities,
        spelling=entry["id"],
        modified_at=positive(entry.get("created")) or 0.0,
    )


def _resident(entry: Mapping[str, Any]) -> ResidentModel:
    """These engines unload nothing on their own account: their models are pinned."""
    return ResidentModel(name=normal(entry["id"]), size_gb=_size_gb(entry), context=_context(entry), pinned=True)


def _size_gb(entry: Mapping[str, Any]) -> float | None:
    return gigabytes(mapping(entry.get("meta")).get("size"))


def _context(entry: Mapping[str, Any]) -> int | None:
    """llama.cpp, vLLM, LM Studio, in that order; LM Studio's maximum is not what it loaded."""
    meta = mapping(entry.get("meta"))
    return whole(meta.get("n_ctx")) or whole(entry.get("max_model_len")) or whole(entry.get("loaded_context_length"))
