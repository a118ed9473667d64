"""What an engine or an agent said of a node at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nodes.core.values import Capacity, DiskModel, Memory, NodeSnapshot, ResidentModel


@dataclass(frozen=True, slots=True)
class NodeReport:
    """One reading of a node. None says nothing: what was known before stays.

    A reading that failed carries `reachable` False and `trouble`; one that only took too long carries `trouble` alone.
    """

    seen_at: float | None = None  # when the node spoke; None: this is no proof that it lives
    reachable: bool | None = None  # from the router; an agent can't tell
    trouble: str = ""
    flavour: str = ""
    version: str = ""
    resident: Mapping[str, ResidentModel] | None = None
    on_disk: Mapping[str, DiskModel] | None = None
    memory: Memory | None = None
    engine_parallel: int | None = None
    bandwidth_gbps: float | None = None
    capacity: Capacity | None = None
    draining: bool | None = None
    cpu_percent: float | None = None
    utc_offset: int | None = None  # seconds east of UTC


def answered(known: NodeSnapshot, model: str) -> NodeReport:
    """What an answer says of a node that did not have this model in memory: now it has, and at least its weights are
    no longer available. Its size, and what is really left, come with the next reading or heartbeat."""
    on_disk, left = known.on_disk.get(model), known.memory.available_gb
    weights = on_disk.size_gb if on_disk and on_disk.size_gb else 0.0
    return NodeReport(
        resident={**known.resident, model: ResidentModel(model)},
        memory=known.memory if left is None else replace(known.memory, available_gb=max(0.0, left - weights)),
        engine_parallel=known.engine_parallel,
    )
