"""How many of ours one queue may run at once: what memory bears, never more than the engine runs."""

from nodes.core.values import FleetSnapshot, NodeSnapshot
from routing.core.catalog import is_embedding, is_serial
from routing.core.engines import default_parallel
from routing.core.estimates import available_gb, need_gb
from routing.core.parameters import QueuePolicy


def slots(node: NodeSnapshot, model: str, fleet: FleetSnapshot, policy: QueuePolicy) -> int:
    """The slots of this node:model, at least 1; an operator's word is taken as it is."""
    if node.parallel:
        return node.parallel
    runs_at_once = engine_slots(node, model)
    headroom = _headroom_gb(node, model, fleet)
    if headroom is None:
        return runs_at_once
    bears = int(headroom // kv_gb(node, model, policy))
    return min(runs_at_once, max(1, min(policy.max_slots, bears)))


def has_free_slot(node: NodeSnapshot, model: str, fleet: FleetSnapshot, policy: QueuePolicy) -> bool:
    """Would one more request run there at once?"""
    return fleet.depth(node.id, model).total < slots(node, model, fleet, policy)


def engine_slots(node: NodeSnapshot, model: str) -> int:
    """How many requests of this model the engine itself runs at once."""
    on_disk = node.on_disk.get(model)
    if is_embedding(model, on_disk) or is_serial(model, on_disk):
        return 1
    return node.engine_parallel or default_parallel(node)


def kv_gb(node: NodeSnapshot, model: str, policy: QueuePolicy) -> float:
    """KV cache of one request in GB: what the loaded model takes beyond its weights, shared by the engine's slots."""
    resident, on_disk = node.resident.get(model), node.on_disk.get(model)
    if resident is None or on_disk is None or not resident.size_gb or not on_disk.size_gb:
        return policy.kv_gb
    beyond = resident.size_gb - on_disk.size_gb
    return beyond / engine_slots(node, model) if beyond > 0 else policy.kv_gb


def _headroom_gb(node: NodeSnapshot, model: str, fleet: FleetSnapshot) -> float | None:
    """What stays available once the model is loaded; a resident one is already out of the available figure."""
    available = available_gb(node)
    if available is None or model in node.resident:
        return available
    return available - need_gb(node, model, fleet)
