"""The one way by which what is known of a node gets into the fleet."""

from nodes.core.configs import NodeConfig
from nodes.core.heartbeat import merge
from nodes.core.liveness import aged
from nodes.core.parameters import Liveness
from nodes.core.report import NodeReport
from nodes.core.values import NodeSnapshot
from nodes.fleet.port import FleetState
from nodes.lib.live import current


async def take(
    fleet: FleetState, previous: NodeSnapshot | None, config: NodeConfig, report: NodeReport | None, now: float
) -> NodeSnapshot:
    """The node as the fleet knows it from now on; nothing is put if nothing changed."""
    node = aged(merge(previous, config, report, now), now, current(Liveness))
    if node != previous:
        await fleet.put_node(node)
    return node
