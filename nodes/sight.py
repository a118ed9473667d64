"""What the router of this process sees of a node now."""

from dataclasses import dataclass

from nodes.core.values import FleetSnapshot, NodeSnapshot
from nodes.fleet.glance import glance
from nodes.models import Node


@dataclass(frozen=True, slots=True)
class Sight:
    """A node at one moment, with how many of ours run and wait there."""

    node: NodeSnapshot
    running: int
    waiting: int
    now: float


def sight(row: Node) -> Sight | None:
    """What is seen of a row's node, the same each time it is asked of that row; None without a router."""
    held = row.__dict__
    if "_sight" not in held:
        fleet = glance()
        held["_sight"] = see(fleet, row.id) if fleet else None
    seen: Sight | None = held["_sight"]
    return seen


def see(fleet: FleetSnapshot, node_id: str) -> Sight | None:
    """One node of a fleet; None if the fleet does not have it."""
    node = fleet.node(node_id)
    depths = [depth for queue, depth in fleet.queues.items() if queue.node == node_id]
    running, waiting = sum(d.in_flight for d in depths), sum(d.pending for d in depths)
    return Sight(node, running, waiting, fleet.now) if node else None
