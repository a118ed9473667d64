"""Making room: which idle models to unload so that a request held only for want of memory can be served."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.core.values import FleetSnapshot, NodeSnapshot, QueueKey, ResidentModel
from routing.core.engines import is_ollama
from routing.core.estimates import known_elsewhere, need_here, under_ceiling
from routing.core.filters import NO_MEMORY
from routing.core.ranking import HOLD, NEVER, Policy, Ranking, rank
from routing.core.request import Demand


@dataclass(frozen=True, slots=True)
class Room:
    """Unload these models, in this order, from this node: then `model` fits there."""

    node: str
    model: str
    unload: tuple[str, ...]


def plan_room(
    fleet: FleetSnapshot, ranking: Ranking, demand: Demand, policy: Policy, last_use: Mapping[QueueKey, float]
) -> Room | None:
    """The best node to make room on, and how; None unless the demand is held and idle models alone stand in its way.

    `ranking` is of this demand in this fleet. The first model of the demand that this can help is helped; the full
    nodes are ranked as they would be with the room.
    """
    if ranking.outcome != HOLD:
        return None
    full = {QueueKey(e.node, e.model) for e in ranking.eliminated if e.reason == NO_MEMORY}
    for model in dict.fromkeys(demand.models):
        elsewhere = known_elsewhere(model, fleet)
        needs = [(n, need_here(n, model, fleet, elsewhere)) for n in fleet.nodes if (n.id, model) in full]
        in_the_way = {n.id: _in_the_way(n, need, fleet, last_use) for n, need in needs}
        roomy = tuple(_without(n, in_the_way[n.id]) for n in fleet.nodes if in_the_way.get(n.id))
        ranked = rank(replace(fleet, nodes=roomy), replace(demand, models=(model,)), policy).ranked if roomy else ()
        if ranked:
            return Room(ranked[0].node, model, tuple(m.name for m in in_the_way[ranked[0].node]))
    return None


def mark_idle(fleet: FleetSnapshot, policy: Policy) -> FleetSnapshot:
    """The fleet in which no model is idle that is in use by us; as it is under a policy that does not ask."""
    if not policy.elimination.fit_counts_idle:
        return fleet
    at_work = {queue.node for queue in fleet.queues}
    return replace(fleet, nodes=tuple(_marked(n, fleet) if n.id in at_work else n for n in fleet.nodes))


def is_idle(node: NodeSnapshot, model: ResidentModel, fleet: FleetSnapshot) -> bool:
    """Is the model unused, as far as its node tells, with nothing of ours running or waiting for it?"""
    return model.idle and not fleet.depth(node.id, model.name).total


def _marked(node: NodeSnapshot, fleet: FleetSnapshot) -> NodeSnapshot:
    return replace(node, resident={name: replace(m, idle=is_idle(node, m, fleet)) for name, m in node.resident.items()})


def _in_the_way(
    node: NodeSnapshot, need: float, fleet: FleetSnapshot, last_use: Mapping[QueueKey, float]
) -> tuple[ResidentModel, ...]:
    """The least recently used idle models without which `need` GB fit; none if they don't even without them all."""
    residents = node.resident.values() if is_ollama(node) else ()
    idle = [m for m in residents if is_idle(node, m, fleet) and not m.pinned and m.size_gb]
    idle.sort(key=lambda m: last_use.get(QueueKey(node.id, m.name), NEVER))
    for count in range(1, len(idle) + 1):
        if _fits(node, idle[:count], need):
            return _only_needed(node, idle[:count], need)
    return ()


def _only_needed(node: NodeSnapshot, chosen: list[ResidentModel], need: float) -> tuple[ResidentModel, ...]:
    """Without those that would be unloaded for nothing, because the later ones free enough."""
    for spare in tuple(reversed(chosen)):
        others = [m for m in chosen if m is not spare]
        chosen = others if _fits(node, others, need) else chosen
    return tuple(chosen)


def _fits(node: NodeSnapshot, unloaded: Sequence[ResidentModel], need: float) -> bool:
    return under_ceiling(node, _free_gb(node, unloaded)) >= need


def _without(node: NodeSnapshot, unloaded: Sequence[ResidentModel]) -> NodeSnapshot:
    """The node as it is once these are unloaded."""
    gone = {m.name for m in unloaded}
    left = {name: m for name, m in node.resident.items() if name not in gone}
    return replace(node, resident=left, memory=replace(node.memory, available_gb=_free_gb(node, unloaded)))


def _free_gb(node: NodeSnapshot, unloaded: Sequence[ResidentModel]) -> float:
    return (node.memory.available_gb or 0.0) + sum(m.size_gb or 0.0 for m in unloaded)
