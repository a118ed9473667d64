"""A candidate: one node in the light of one model and one demand."""

from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from nodes.core.values import DiskModel, FleetSnapshot, Latency, NodeSnapshot, Pin, QueueKey, ResidentModel
from routing.core.catalog import is_embedding
from routing.core.estimates import available_gb, known_elsewhere, weights_here
from routing.core.request import Demand
from routing.core.routes import ROUTES, out_of_reach

EMBEDDING = "embedding"
NEEDS = frozenset({"vision", "tools", EMBEDDING}) | ROUTES
NOTHING_UNMET: frozenset[str] = frozenset()
SLOWEST, FASTEST = 0.25, 4.0  # how far a node's relative speed counts


class Candidate(NamedTuple):
    """Everything that a filter or a signal asks of a node; None is unknown."""

    node: NodeSnapshot
    model: str
    order: int  # of enrolment
    resident: ResidentModel | None
    on_disk: DiskModel | None
    depth: int  # in flight + pending of this node:model
    latency: Latency | None
    weights_gb: float
    need_gb: float
    available_gb: float | None
    unloaded_ago: float | None  # seconds
    session_ago: float | None  # seconds since it served this session's last turn with this model
    relative_speed: float
    tokens: float
    unmet: frozenset[str]  # needs that its engine, or this model there, is known not to meet
    healthy: bool

    @property
    def is_there(self) -> bool:
        """Is the model in memory or on disk?"""
        return self.resident is not None or self.on_disk is not None


class Outlook(NamedTuple):
    """What all candidates for one model share."""

    model: str
    demand: Demand
    fleet: FleetSnapshot
    pin: Pin | None  # only if it is for this model
    elsewhere_gb: float | None
    count_idle: bool
    usual_gbps: float | None  # None: speed does not count


def candidates(
    model: str, demand: Demand, fleet: FleetSnapshot, pin: Pin | None, count_idle: bool, by_speed: bool
) -> Iterator[Candidate]:
    """Every node of the fleet as a candidate for this model, in the order of enrolment."""
    usual = usual_gbps(fleet) if by_speed else None
    ours = pin if pin is not None and pin.model == model else None
    outlook = Outlook(model, demand, fleet, ours, known_elsewhere(model, fleet), count_idle, usual)
    return (_candidate(order, node, outlook) for order, node in enumerate(fleet.nodes))


def unmet(node: NodeSnapshot, model: str, needs: frozenset[str]) -> frozenset[str]:
    """Those needs that the engine, or the node's own word on this model, rules out; what nobody says, it may.

    Ollama's inventory calls some embedding models by the wrong capability: what only embeds, embeds.
    """
    on_disk = node.on_disk.get(model)
    missing = needs & out_of_reach(node)
    if on_disk is not None and on_disk.capabilities:
        missing |= needs - on_disk.capabilities - ROUTES
    return missing - {EMBEDDING} if EMBEDDING in missing and is_embedding(model, on_disk) else missing


def usual_gbps(fleet: FleetSnapshot) -> float | None:
    """The median bandwidth of the approved, not offline nodes that know theirs, in GB/s."""
    there = (n for n in fleet.nodes if n.enrolment == "approved" and n.status != "offline")
    known = [n.bandwidth_gbps for n in there if n.bandwidth_gbps]
    return median(known) if known else None


def _candidate(order: int, node: NodeSnapshot, outlook: Outlook) -> Candidate:
    model, demand, fleet, pin, elsewhere, count_idle, usual = outlook
    queue = QueueKey(node.id, model)
    depth = fleet.queues.get(queue)
    weights = weights_here(node, model, elsewhere)
    unloaded = node.unloaded_at.get(model)
    return Candidate(
        node,
        model,
        order,
        node.resident.get(model),
        node.on_disk.get(model),
        depth.in_flight + depth.pending if depth else 0,
        fleet.latency.get(queue),
        weights,
        fleet.need_gb.get(model) or weights,
        available_gb(node, count_idle),
        None if unloaded is None else fleet.now - unloaded,
        fleet.now - pin.at if pin is not None and pin.node == node.id else None,
        _relative_speed(node.bandwidth_gbps, usual) if usual else 1.0,
        demand.estimated_tokens,
        unmet(node, model, demand.needs) if demand.needs else NOTHING_UNMET,
        queue not in fleet.unhealthy,
    )


def _relative_speed(gbps: float | None, usual: float) -> float:
    return min(FASTEST, max(SLOWEST, gbps / usual)) if gbps else 1.0
