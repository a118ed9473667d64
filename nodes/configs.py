"""The nodes of the database as the frozen value that servers hold."""

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.models import Node


def load() -> NodeConfigs:
    """Every node as its operator decided, in the order of enrolment."""
    return NodeConfigs(tuple(config_of(node) for node in Node.objects.all()))


def config_of(node: Node) -> NodeConfig:
    """One row, frozen."""
    return NodeConfig(
        id=node.id,
        name=node.name,
        url=node.url,
        engine=node.engine,
        enrolment=node.enrolment,
        paused=node.paused,
        draining=node.draining,
        granted_gb=node.memory_gb,
        bandwidth_gbps=node.bandwidth_gbps,
        parallel=node.parallel,
        credential=node.credential,
        added_at=node.added_at.timestamp(),
    )
