"""What the control API shows of nodes and parameters; values in, JSON-ready values out."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.liveness import state
from nodes.core.values import FleetSnapshot, NodeSnapshot, ResidentModel
from nodes.lib.parameter import Parameter
from nodes.lib.times import iso
from routing.core.parameters import QueuePolicy
from routing.core.slots import slots

Row = dict[str, Any]


def node_rows(configs: NodeConfigs, fleet: FleetSnapshot | None, policy: QueuePolicy) -> list[Row]:
    """Every node of the database with what the fleet sees of it; what is live is null where nothing is seen."""
    return [_node_row(config, fleet, policy) for config in configs.nodes]


def _node_row(config: NodeConfig, fleet: FleetSnapshot | None, policy: QueuePolicy) -> Row:
    seen = fleet.node(config.id) if fleet else None
    return _decided(config) | (_seen(seen, fleet, policy) if fleet and seen else UNSEEN)


UNSEEN: Row = {
    "status": None,
    "reachable": None,
    "version": "",
    "memory": {"total_gb": None, "available_gb": None, "pressure": None},
    "capacity": None,
    "resident": [],
    "on_disk": [],
    "suspended": [],
    "last_seen": None,
    "trouble": "",
    "alerts": [],
}


def _decided(config: NodeConfig) -> Row:
    """What an operator decided."""
    names = ("id", "name", "engine", "url", "enrolment", "paused", "draining", "bandwidth_gbps", "parallel")
    states = {"pending": config.enrolment == "pending", "paused": config.paused, "draining": config.draining}
    decided = next((word for word, holds in states.items() if holds), "unknown")
    return {name: getattr(config, name) for name in names} | {"state": decided}


def _seen(node: NodeSnapshot, fleet: FleetSnapshot, policy: QueuePolicy) -> Row:
    """What the fleet sees; paused and draining as they are in force, by an operator or by the agent."""
    names = ("status", "reachable", "paused", "draining", "version", "bandwidth_gbps", "parallel", "trouble")
    return {name: getattr(node, name) for name in names} | {
        "state": state(node),
        "memory": asdict(node.memory),
        "capacity": asdict(node.capacity) if node.capacity and node.capacity.learning else None,
        "resident": [_resident_row(node, model, fleet, policy) for model in node.resident.values()],
        "on_disk": [{"name": m.name, "size_gb": m.size_gb, "digest": m.digest} for m in node.on_disk.values()],
        "suspended": suspended(node, fleet),
        "last_seen": iso(node.last_seen),
        "alerts": [],
    }


def suspended(node: NodeSnapshot, fleet: FleetSnapshot) -> list[str]:
    """The models for which the node gets no requests now: they failed there lately."""
    return sorted(queue.model for queue in fleet.unhealthy if queue.node == node.id)


def state_words(state: str, suspended: Sequence[str]) -> str:
    """The state, and how many models are suspended: `online, 1 model suspended`."""
    models = "model" if len(suspended) == 1 else "models"
    return f"{state}, {len(suspended)} {models} suspended" if suspended else state


def _resident_row(node: NodeSnapshot, model: ResidentModel, fleet: FleetSnapshot, policy: QueuePolicy) -> Row:
    depth = fleet.depth(node.id, model.name)
    return {
        "name": model.name,
        "size_gb": model.size_gb,
        "context": model.context,
        "expires_at": iso(model.expires_at),
        "slots": slots(node, model.name, fleet, policy),
        "in_flight": depth.in_flight,
        "pending": depth.pending,
    }


def parameter_row(declared: Parameter, value: object, environment: object, change: Row | None) -> Row:
    """One parameter: what is in force, and every source it could come from; null where a source is silent."""
    return {
        "name": declared.environment,
        "group": declared.group.__name__,
        "type": declared.kind.__name__,
        "value": value,
        "default": declared.default,
        "environment": environment,
        "override": change["value"] if change else None,
        "range": [declared.lo, declared.hi],
        "choices": list(declared.choices),
        "unit": declared.unit,
        "help": declared.help,
        "last_change": change,
    }
