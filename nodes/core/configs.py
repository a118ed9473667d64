"""What an operator decided about each node: the database's rows, frozen for the serving loop."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """One node as an operator entered or approved it."""

    id: str
    name: str
    url: str
    engine: str = "ollama"  # ollama | openai
    enrolment: str = "approved"  # approved | pending
    paused: bool = False
    draining: bool = False
    granted_gb: float | None = None  # --memory-gb: what the operator lets the engine use
    bandwidth_gbps: float | None = None
    parallel: int | None = None
    credential: str = ""  # SHA-256 of an agent's credential, hex; empty: no agent
    added_at: float = 0.0


def decided(config: NodeConfig) -> dict[str, object]:
    """What operators decide of a node and may read; of a credential only that there is one."""
    return asdict(config) | {"credential": bool(config.credential)}


@dataclass(frozen=True, slots=True)
class NodeConfigs:
    """All nodes, in the order of their enrolment."""

    nodes: tuple[NodeConfig, ...] = ()
