"""Making room: which idle models to unload so that a request held only for want of memory can be served."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.core.values import FleetSnapshot, NodeSnapshot, Pin, QueueKey, ResidentModel
from routing.core.engines import is_ollama
from routing.core.estimates import need_gb, under_ceiling
from routing.core.filters import NO_MEMORY
from routing.core.ranking import HOLD, NEVER, Policy, rank
from routing.core.request import Demand


@dataclass(frozen=True, slots=True)
class Room:
    """Unload these models, in this order, from this node: then `model` fits there."""

    node: str
    model: str
    unload: tuple[str, ...]


def plan_room(
    fleet: FleetSnapshot, demand: Demand, policy: Policy, last_use: Mapping[QueueKey, float], pin: Pin | None = None
) -> Room | None:
    """The best node to make room on, and how; None unless the demand is held and idle models alone stand in its way.

    The first model of the demand that this can help is helped; its nodes are ranked as they would be with the room.
    """
    ranking = rank(fleet, demand, policy, pin)
    fleet = mark_idle(fleet)
    for model in dict.fromkeys(demand.models) if ranking.outcome == HOLD else ():
        full = [e.node for e in ranking.eliminated if e.model == model and e.reason == NO_MEMORY]
        in_the_way = {n.id: _in_the_way(n, model, fleet, last_use) for n in fleet.nodes if n.id in full}
        roomy = replace(fleet, nodes=tuple(_without(n, in_the_way.get(n.id, ())) for n in fleet.nodes))
        ranked = rank(roomy, replace(demand, models=(model,)), policy, pin).ranked
        best = next((s.node for s in ranked if in_the_way.get(s.node)), None)
        if best is not None:
            return Room(best, model, tuple(m.name for m in in_the_way[best]))
    return None


def mark_idle(fleet: FleetSnapshot) -> FleetSnapshot:
    """The fleet with every resident model marked idle where nothing of ours runs or waits for it."""
    return replace(fleet, nodes=tuple(_marked(node, fleet) for node in fleet.nodes))


def _marked(node: NodeSnapshot, fleet: FleetSnapshot) -> NodeSnapshot:
    idle = {name: not fleet.depth(node.id, name).total for name in node.resident}
    if all(model.idle == idle[name] for name, model in node.resident.items()):
        return node
    return replace(node, resident={name: replace(m, idle=idle[name]) for name, m in node.resident.items()})


def _in_the_way(
    node: NodeSnapshot, model: str, fleet: FleetSnapshot, last_use: Mapping[QueueKey, float]
) -> tuple[ResidentModel, ...]:
    """The least recently used idle models without which it fits; none if it does not fit even without them all."""
    idle = [m for m in node.resident.values() if m.idle and not m.pinned and m.size_gb and is_ollama(node)]
    idle.sort(key=lambda m: last_use.get(QueueKey(node.id, m.name), NEVER))
    need = need_gb(node, model, fleet)
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
    if not unloaded:
        return node
    gone = {m.name for m in unloaded}
    left = {name: m for name, m in node.resident.items() if name not in gone}
    return replace(node, resident=left, memory=replace(node.memory, available_gb=_free_gb(node, unloaded)))


def _free_gb(node: NodeSnapshot, unloaded: Sequence[ResidentModel]) -> float:
    return (node.memory.available_gb or 0.0) + sum(m.size_gb or 0.0 for m in unloaded)
