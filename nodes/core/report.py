"""What an engine or an agent said of a node at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass

from nodes.core.values import Capacity, DiskModel, Memory, ResidentModel


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
