"""What an operator may tune about nodes."""

from dataclasses import dataclass

from nodes.lib.parameter import parameter


@dataclass(frozen=True, slots=True)
class Liveness:
    """When a node counts as there."""

    degraded_after: float = parameter(
        15.0,
        "FLEET_HEARTBEAT_TIMEOUT",
        "A node this long silent is degraded; it still serves.",
        lo=1,
        hi=3600,
        unit="s",
    )
    offline_after: float = parameter(
        30.0, "FLEET_HEARTBEAT_OFFLINE", "A node this long silent is offline.", lo=1, hi=3600, unit="s"
    )
    poll_interval: float = parameter(
        5.0, "FLEET_POLL_INTERVAL", "How often a node without an agent is read.", lo=0.05, hi=300, unit="s"
    )
    poll_timeout: float = parameter(
        3.0, "FLEET_POLL_TIMEOUT", "How long one read of a node may take.", lo=0.1, hi=60, unit="s"
    )
    detect_local: bool = parameter(
        True, "FLEET_DETECT_LOCAL_OLLAMA", "Look for an Ollama on this machine at the first start."
    )
