"""Small fleets: a test says what matters to it, these say the rest."""

from collections.abc import Mapping
from typing import Any

from nodes.core.values import (
    Capacity,
    DiskModel,
    FleetSnapshot,
    Latency,
    Memory,
    NodeSnapshot,
    Pin,
    QueueDepth,
    QueueKey,
    ResidentModel,
)
from routing.core.candidates import Candidate, candidates
from routing.core.parameters import EliminationPolicy, ScoringWeights
from routing.core.ranking import Policy, Ranking, rank
from routing.core.request import Demand

NOW = 1_700_000_000.0
MODEL = "acme:7b"
OTHER = "acme:70b"


def disk(model: str = MODEL, gb: float | None = 10.0, **more: Any) -> dict[str, DiskModel]:
    """One model on disk."""
    return {model: DiskModel(model, gb, **more)}


def loaded(model: str = MODEL, gb: float | None = 10.0, **more: Any) -> dict[str, ResidentModel]:
    """One model in memory."""
    return {model: ResidentModel(model, gb, **more)}


def node(name: str = "a", free: float | None = 100.0, total: float | None = None, **more: Any) -> NodeSnapshot:
    """A node that has the model on disk, with plenty of memory."""
    memory = more.pop("memory", Memory(total, free))
    return NodeSnapshot(id=name, memory=memory, **{"on_disk": disk(), **more})


def learning(**more: Any) -> Capacity:
    """A capacity with learning on."""
    return Capacity(learning=True, **more)


def fleet(*nodes: NodeSnapshot, **more: Any) -> FleetSnapshot:
    """These nodes now."""
    return FleetSnapshot(now=NOW, nodes=nodes, **more)


def queue(name: str, in_flight: int = 0, pending: int = 0, model: str = MODEL) -> dict[QueueKey, QueueDepth]:
    """One queue."""
    return {QueueKey(name, model): QueueDepth(in_flight, pending)}


def took(name: str, p75_ms: float, samples: int = 100, model: str = MODEL) -> dict[QueueKey, Latency]:
    """What one queue's requests took."""
    return {QueueKey(name, model): Latency(p75_ms, samples)}


def candidate(
    of: NodeSnapshot | None = None,
    *,
    needs: frozenset[str] = frozenset(),
    tokens: int = 0,
    pin: Pin | None = None,
    count_idle: bool = False,
    by_speed: bool = False,
    others: tuple[NodeSnapshot, ...] = (),
    **state: Any,
) -> Candidate:
    """The candidate that a node makes for the model."""
    demand = Demand((MODEL,), tokens, needs)
    snapshot = fleet(of or node(), *others, **state)
    return next(candidates(MODEL, demand, snapshot, pin, count_idle, by_speed))


def policy(weights: Mapping[str, Any] | None = None, **elimination: Any) -> Policy:
    """The defaults, with some parameters set by field name."""
    return Policy(ScoringWeights(**(weights or {})), EliminationPolicy(**elimination))


def ranked(snapshot: FleetSnapshot, *models: str, with_policy: Policy | None = None, **demand: Any) -> Ranking:
    """The ranking of a demand for these models, or the model."""
    return rank(snapshot, Demand(models or (MODEL,), **demand), with_policy or Policy())


def order(ranking: Ranking) -> list[tuple[str, str]]:
    """What would be tried, first to last: (model, node)."""
    return [(s.model, s.node) for s in ranking.ranked]
