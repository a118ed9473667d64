"""What the live dashboard shows of nodes and decisions: values in, JSON-ready values out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from fleetsite.dashboards.words import GOOD, STATES, WARN
from fleetsite.presenters import state_words, suspended
from nodes.core.liveness import state
from nodes.core.values import FleetSnapshot, NodeSnapshot, QueueKey
from routing.core.parameters import QueuePolicy
from routing.presenters import decision, queues

Row = dict[str, Any]
LINE = (
    "id",
    "at",
    "requested_model",
    "served_model",
    "node",
    "score",
    "outcome",
    "status",
    "reason",
    "held_ms",
    "queue_ms",
    "first_token_ms",
    "total_ms",
    "moves",
)
FLAVOURS: Mapping[str, str] = {"ollama": "Ollama", "vllm": "vLLM", "lmstudio": "LM Studio"}


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything of one moment that node cards are made of."""

    fleet: FleetSnapshot
    policy: QueuePolicy = field(default_factory=QueuePolicy)
    warm_seconds: float = 1800.0
    loading: frozenset[QueueKey] = frozenset()
    moved: Mapping[QueueKey, int] = field(default_factory=dict)  # lately: how many came (or, below 0, left)


def cards(scene: Scene) -> dict[str, Row]:
    """A card for each node, by id, in the order of enrolment."""
    waiting = {node: list(rows) for node, rows in groupby(queues(scene.fleet, scene.policy), lambda row: row["node"])}
    return {node.id: _card(node, waiting.get(node.id, ()), scene) for node in scene.fleet.nodes}


def _card(node: NodeSnapshot, rows: Iterable[Row], scene: Scene) -> Row:
    word = state(node)
    loading = sorted(queue.model for queue in scene.loading if queue.node == node.id)
    calm, out = STATES[word] == GOOD, suspended(node, scene.fleet)
    return {
        "id": node.id,
        "name": node.name or node.id,
        "tone": WARN if calm and (loading or out) else STATES[word],
        "state": f"loading {short(loading[0])}" if calm and loading else state_words(_mode(node, word), out),
        "trouble": "" if calm else node.trouble,
        "hardware": " · ".join(_hardware(node)),
        "memory": _memory(node),
        "hot": [{"name": short(m.name), "gb": _gb(m.size_gb), "context": m.context} for m in _by_size(node)],
        "warm": _warm(node, scene),
        "on_disk": len(node.on_disk.keys() - node.resident.keys()),
        "queues": [_queue(row, scene.moved) for row in rows],
    }


def line(columns: Mapping[str, Any], signals: Mapping[str, float] | None, stage: str | None = None) -> Row:
    """A decision as a line of the live table: the narrow part of what the API says, and the winner's signals."""
    whole = decision(columns)
    return {name: whole[name] for name in LINE} | {"stage": stage, "signals": signals}


def stored_line(columns: Mapping[str, Any]) -> Row:
    """The line of a decision whose columns are all there."""
    return line(columns, (winner(columns) or {}).get("signals"))


def winner(columns: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The candidate that served, out of a decision's columns."""
    served = (columns.get("node"), columns.get("served_model"))
    return next((c for c in columns.get("candidates") or () if (c["node"], c["model"]) == served), None)


def short(model: str) -> str:
    """A model's name as people write it: `:latest` goes without saying."""
    return model.removesuffix(":latest")


def _mode(node: NodeSnapshot, word: str) -> str:
    """The state in words; of a node that learns also how available it is."""
    learns = node.capacity is not None and node.capacity.learning
    return f"{word} · {node.capacity.availability:.2f} available" if learns and node.capacity else word


def _hardware(node: NodeSnapshot) -> Iterable[str]:
    """What is known of the machine; what is not is left out."""
    if node.bandwidth_gbps:
        yield f"{node.bandwidth_gbps:g} GB/s"
    if node.memory.total_gb:
        yield f"{node.memory.total_gb:g} GB"
    flavour = node.flavour or node.engine
    yield f"{FLAVOURS.get(flavour, flavour)} {node.version}".strip()
    if node.memory.pressure != "normal":
        yield f"memory pressure {node.memory.pressure}"


def _memory(node: NodeSnapshot) -> Row | None:
    """GB in all, free, in models, and what is neither; None if it is not known."""
    total, free = node.memory.total_gb, node.memory.available_gb
    if not total or free is None:
        return None
    free = min(free, total)
    models = min(sum(m.size_gb or 0.0 for m in node.resident.values()), total - free)
    return {"total": _gb(total), "free": _gb(free), "models": _gb(models), "others": _gb(total - free - models)}


def _by_size(node: NodeSnapshot) -> list[Any]:
    return sorted(node.resident.values(), key=lambda m: (-(m.size_gb or 0.0), m.name))


def _warm(node: NodeSnapshot, scene: Scene) -> list[str]:
    """Models that left memory a short while ago and are still on disk."""
    since = scene.fleet.now - scene.warm_seconds
    return sorted(short(m) for m, at in node.unloaded_at.items() if at > since and m in node.on_disk)


def _queue(row: Row, moved: Mapping[QueueKey, int]) -> Row:
    wait = row["est_wait_s"]
    return {
        "model": short(row["model"]),
        "running": row["in_flight"],
        "slots": row["slots"],
        "waiting": row["pending"],
        "wait_s": None if wait is None else round(wait),
        "moved": moved.get(QueueKey(row["node"], row["model"]), 0),
    }


def _gb(size: float | None) -> float | None:
    """Rounded as it is shown: a byte more or less is no change."""
    return None if size is None else round(size, 1)
