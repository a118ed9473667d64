"""How large, how roomy, how fast: measured where it was measured, estimated where it was not."""

from nodes.core.values import FleetSnapshot, NodeSnapshot
from routing.core.catalog import weights_by_name

UNKNOWN_GB = 100.0  # unknown means large: a small guess loads a model that takes the machine down
GUESSED_TOKENS = 100
LEAST_RATE = 10.0  # tokens/s, bandwidth known
RATE_PER_GBPS = 1.2
RATE_WITHOUT_BANDWIDTH = 100.0
LEAST_RATE_WITHOUT_BANDWIDTH = 1.0


def weights_here(node: NodeSnapshot, model: str, elsewhere: float | None) -> float:
    """GB of weights: this node's report on disk, else what is known elsewhere, else its resident size, else large."""
    on_disk = node.on_disk.get(model)
    if on_disk is not None and on_disk.size_gb:
        return on_disk.size_gb
    resident = node.resident.get(model)
    return elsewhere or (resident.size_gb if resident else None) or UNKNOWN_GB


def known_elsewhere(model: str, fleet: FleetSnapshot) -> float | None:
    """The largest report on disk among approved nodes, else the catalogue's figure, in GB."""
    reports = [n.on_disk[model].size_gb or 0.0 for n in fleet.nodes if model in n.on_disk and n.enrolment == "approved"]
    return max(reports, default=0.0) or weights_by_name(model)


def need_gb(node: NodeSnapshot, model: str, fleet: FleetSnapshot) -> float:
    """What loading it takes, in GB (`known_elsewhere` tells what the fleet knows)."""
    return need_here(node, model, fleet, known_elsewhere(model, fleet))


def need_here(node: NodeSnapshot, model: str, fleet: FleetSnapshot, elsewhere: float | None) -> float:
    """GB that loading it takes: the resident size measured anywhere in the fleet, else its weights."""
    return fleet.need_gb.get(model) or weights_here(node, model, elsewhere)


def available_gb(node: NodeSnapshot, count_idle: bool = False) -> float | None:
    """Free system RAM in GB, with idle unpinned models counted as free if asked, then capped by a learned ceiling."""
    free = node.memory.available_gb
    if free is None:
        return None
    if count_idle:
        free += sum(m.size_gb or 0.0 for m in node.resident.values() if m.idle and not m.pinned)
    return under_ceiling(node, free)


def under_ceiling(node: NodeSnapshot, free: float) -> float:
    """That many GB, but no more than the learned ceiling if learning is on."""
    capacity = node.capacity
    if capacity is None or not capacity.learning or capacity.ceiling_gb is None:
        return free
    return min(free, capacity.ceiling_gb)


def guessed_seconds(weights: float, bandwidth_gbps: float | None) -> float:
    """Seconds of one request on a node that has served too few to measure."""
    if bandwidth_gbps is None:
        rate = max(LEAST_RATE_WITHOUT_BANDWIDTH, RATE_WITHOUT_BANDWIDTH / max(1.0, weights))
    else:
        rate = max(LEAST_RATE, RATE_PER_GBPS * bandwidth_gbps / max(1.0, weights / 10))
    return GUESSED_TOKENS / rate
