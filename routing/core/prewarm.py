"""Stage 4: which models to load where, before the overflow of a deep queue arrives."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from nodes.core.values import FleetSnapshot, NodeSnapshot, QueueKey
from routing.core.catalog import is_embedding
from routing.core.engines import is_ollama
from routing.core.estimates import need_gb
from routing.core.parameters import JobPolicy, QueuePolicy
from routing.core.ranking import Policy, rank
from routing.core.request import Demand
from routing.core.slots import has_free_slot


@dataclass(frozen=True, slots=True)
class Load:
    """Load this model on this node; one that only embeds is loaded by an empty embed."""

    node: str
    model: str
    embedding: bool


def plan_prewarm(
    fleet: FleetSnapshot, policy: Policy, jobs: JobPolicy, queues: QueuePolicy, at_work: Collection[Load] = ()
) -> list[Load]:
    """One load for each deep queue that no other node can relieve at once, or will when a load at work has ended;
    memory is promised once."""
    loads: list[Load] = []
    for queue in _deep(fleet, jobs):
        relieved = any(load.model == queue.model and load.node != queue.node for load in (*at_work, *loads))
        target = None if relieved else _target(queue, fleet, policy, jobs, queues)
        if target is not None:
            loads.append(Load(target.id, queue.model, is_embedding(queue.model, target.on_disk.get(queue.model))))
            fleet = _promised(fleet, target, need_gb(target, queue.model, fleet))
    return loads


def _deep(fleet: FleetSnapshot, jobs: JobPolicy) -> list[QueueKey]:
    """Queues at the threshold or above, running plus waiting, the deepest first."""
    deep = [(queue, depth.total) for queue, depth in fleet.queues.items() if depth.total >= jobs.prewarm_threshold]
    return [queue for queue, _ in sorted(deep, key=lambda d: -d[1])]


def _target(
    queue: QueueKey, fleet: FleetSnapshot, policy: Policy, jobs: JobPolicy, queues: QueuePolicy
) -> NodeSnapshot | None:
    """The best ranked other node that lacks the model and may load it; None if one that has it is free."""
    ranked = rank(fleet, Demand((queue.model,)), policy).ranked
    others = [s.candidate for s in ranked if s.node != queue.node]
    if any(c.resident is not None and has_free_slot(c.node, queue.model, fleet, queues) for c in others):
        return None
    return next((c.node for c in others if c.resident is None and _may_load(c.node, jobs)), None)


def _may_load(node: NodeSnapshot, jobs: JobPolicy) -> bool:
    capacity = node.capacity
    spared = capacity is not None and capacity.learning and capacity.availability < jobs.prewarm_min_availability
    return is_ollama(node) and not spared


def _promised(fleet: FleetSnapshot, target: NodeSnapshot, gb: float) -> FleetSnapshot:
    """The fleet with that much less memory available on one node."""
    if target.memory.available_gb is None:
        return fleet
    memory = replace(target.memory, available_gb=target.memory.available_gb - gb)
    return replace(fleet, nodes=tuple(replace(n, memory=memory) if n.id == target.id else n for n in fleet.nodes))
