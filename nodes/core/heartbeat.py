"""How a node's snapshot is made: the operator's words, what was known, and what was just said."""

from collections.abc import Mapping
from dataclasses import replace

from nodes.core.configs import NodeConfig
from nodes.core.report import NodeReport
from nodes.core.values import Memory, NodeSnapshot

REMEMBER_UNLOADED = 86400.0  # seconds; the longest that a model may count as warm
NEVER_READ = "It has not answered yet."


def merge(previous: NodeSnapshot | None, config: NodeConfig, report: NodeReport | None, now: float) -> NodeSnapshot:
    """The node as known from now on, but for its status; a report of None changes only the operator's part."""
    known = previous or NodeSnapshot(id=config.id, reachable=False, trouble=NEVER_READ)
    said = report or NodeReport()
    return _governed(_heard(known, said, now), config, said)


def _heard(known: NodeSnapshot, said: NodeReport, now: float) -> NodeSnapshot:
    return replace(
        known,
        reachable=known.reachable if said.reachable is None else said.reachable,
        trouble=said.trouble or ("" if said.reachable else known.trouble),
        flavour=said.flavour or known.flavour,
        version=said.version or known.version,
        resident=known.resident if said.resident is None else said.resident,
        on_disk=known.on_disk if said.on_disk is None else said.on_disk,
        unloaded_at=_unloaded(known, said, now),
        engine_parallel=known.engine_parallel if said.resident is None else said.engine_parallel,
        agent_draining=known.agent_draining if said.draining is None else said.draining,
        last_seen=max(known.last_seen, said.seen_at or 0.0),
    )


def _unloaded(known: NodeSnapshot, said: NodeReport, now: float) -> Mapping[str, float]:
    """When each model left memory; a model that came back is not in it."""
    if said.resident is None:
        return known.unloaded_at
    here = said.resident
    remembered = {m: at for m, at in known.unloaded_at.items() if m not in here and now - at < REMEMBER_UNLOADED}
    return remembered | {m: now for m in known.resident if m not in here}


def _governed(node: NodeSnapshot, config: NodeConfig, said: NodeReport) -> NodeSnapshot:
    """The operator's word wins; what only an agent can say is gone with the agent."""
    agent = bool(config.credential)
    bandwidth = said.bandwidth_gbps or (node.bandwidth_gbps if agent else None)
    silent = said.seen_at is None
    return replace(
        node,
        name=config.name,
        url=config.url,
        engine=config.engine,
        enrolment=config.enrolment,
        paused=config.paused,
        draining=config.draining or (agent and node.agent_draining),
        memory=_memory(node, config, said.memory or (node.memory if agent else None)),
        granted_gb=config.granted_gb,
        bandwidth_gbps=config.bandwidth_gbps or bandwidth,
        parallel=config.parallel,
        capacity=(node.capacity if silent else said.capacity) if agent else None,
    )


def _memory(node: NodeSnapshot, config: NodeConfig, measured: Memory | None) -> Memory:
    """What was measured, and never more than what the grant leaves beside the models in memory."""
    if config.granted_gb is None:
        return measured or Memory()
    left = max(0.0, config.granted_gb - _resident_gb(node))
    if measured is None or measured.available_gb is None:
        return Memory(config.granted_gb, left, measured.pressure if measured else "normal")
    return replace(measured, available_gb=min(measured.available_gb, left))


def _resident_gb(node: NodeSnapshot) -> float:
    """What the models in memory take; one whose size the engine does not say takes at least its weights."""
    weights = {name: model.size_gb for name, model in node.on_disk.items()}
    return sum(model.size_gb or weights.get(name) or 0.0 for name, model in node.resident.items())
