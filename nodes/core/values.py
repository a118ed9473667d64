"""The words of the house, all frozen: what a node is, what waits where, what the fleet looks like now.

GB are 10⁹ bytes. Times are epoch seconds. Model names are in normal form (`nodes.core.names`).
A number that is not known is None, never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

NOTHING: Mapping[str, float] = MappingProxyType({})


class QueueKey(NamedTuple):
    """One queue: a model on a node."""

    node: str
    model: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A node's memory, as reported or granted."""

    total_gb: float | None = None
    available_gb: float | None = None
    pressure: str = "normal"  # normal | warn | critical


@dataclass(frozen=True, slots=True)
class ResidentModel:
    """A model in a node's memory."""

    name: str
    size_gb: float | None = None
    context: int | None = None
    idle: bool = False
    pinned: bool = False
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class DiskModel:
    """A model on a node's disk. `capabilities` None: the node does not say."""

    name: str
    size_gb: float | None = None
    digest: str = ""
    capabilities: frozenset[str] | None = None
    spelling: str = ""  # as the engine writes it
    modified_at: float = 0.0
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capacity:
    """What the learned week says of a node (spec §9)."""

    learning: bool = False
    override: str | None = None  # pause | full
    observed_days: float = 1e9
    availability: float = 1.0
    ceiling_gb: float | None = None
    meeting: bool = False
    cpu_over_85_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """One machine as the router sees it now."""

    id: str
    name: str = ""
    url: str = ""
    engine: str = "ollama"  # ollama | openai: what it was added as
    flavour: str = ""  # ollama | llama.cpp | vllm | lmstudio | …: what it turned out to be
    version: str = ""
    status: str = "online"  # online | degraded | offline
    enrolment: str = "approved"  # approved | pending
    reachable: bool = True
    paused: bool = False
    draining: bool = False
    memory: Memory = Memory()
    granted_gb: float | None = None  # an operator's grant on an agentless node
    bandwidth_gbps: float | None = None
    parallel: int | None = None  # an operator's word, taken as it is
    engine_parallel: int | None = None  # what the engine says it runs at once
    resident: Mapping[str, ResidentModel] = field(default_factory=dict)
    on_disk: Mapping[str, DiskModel] = field(default_factory=dict)
    unloaded_at: Mapping[str, float] = NOTHING
    capacity: Capacity | None = None
    last_seen: float = 0.0
    trouble: str = ""  # why it can't be reached, in words for an operator

    def has(self, model: str) -> bool:
        """Is the model there, in memory or on disk?"""
        return model in self.resident or model in self.on_disk


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """How many of ours run and wait in one queue."""

    in_flight: int = 0
    pending: int = 0
    oldest_at: float | None = None  # arrival of the longest waiting

    @property
    def total(self) -> int:
        return self.in_flight + self.pending


@dataclass(frozen=True, slots=True)
class Latency:
    """75th percentile of the last completed requests of one queue, and how many there were."""

    p75_ms: float
    samples: int


@dataclass(frozen=True, slots=True)
class Pin:
    """The node that served a session's last turn."""

    model: str
    node: str
    at: float


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request's place in the fleet: it may wait, be moved, run; its owner holds the socket."""

    id: str
    owner: str  # the process
    arrived: float
    needs: frozenset[str] = frozenset()
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a ticket stands: `running` at a queue, `waiting` at one, `displaced` (its node was lost), or `gone`."""

    state: str
    queue: QueueKey | None = None
    moves: int = 0


NO_DEPTH = QueueDepth()


@dataclass(frozen=True, slots=True)
class FleetSnapshot:
    """The fleet at one moment; nodes in the order of their enrolment."""

    now: float
    nodes: tuple[NodeSnapshot, ...] = ()
    queues: Mapping[QueueKey, QueueDepth] = field(default_factory=dict)
    latency: Mapping[QueueKey, Latency] = field(default_factory=dict)
    need_gb: Mapping[str, float] = NOTHING  # model → resident size measured anywhere in the fleet
    chosen_at: Mapping[str, float] = NOTHING  # node → when it last won
    unhealthy: frozenset[QueueKey] = frozenset()  # circuits that are open
    held: int = 0

    def depth(self, node: str, model: str) -> QueueDepth:
        """Running and waiting of one queue; nothing if there is none."""
        return self.queues.get(QueueKey(node, model), NO_DEPTH)

    def node(self, node_id: str) -> NodeSnapshot | None:
        """The node with this id."""
        return next((n for n in self.nodes if n.id == node_id), None)
