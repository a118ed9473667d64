"""What the written rules speak of: the parameters' defaults, and one model at one node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

DEFAULTS: Mapping[str, float] = {
    "FLEET_SCORE_MODEL_HOT": 50,
    "FLEET_SCORE_MODEL_WARM": 30,
    "FLEET_SCORE_MODEL_COLD": 10,
    "FLEET_SCORE_WARM_SECONDS": 1800,
    "FLEET_SCORE_MEMORY_FIT_MAX": 20,
    "FLEET_SCORE_QUEUE_DEPTH_MAX_PENALTY": 30,
    "FLEET_SCORE_QUEUE_DEPTH_PENALTY_PER": 6,
    "FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE": False,
    "FLEET_SCORE_WAIT_TIME_MAX_PENALTY": 25,
    "FLEET_SCORE_WAIT_TIME_SECONDS_PER_POINT": 10,
    "FLEET_SCORE_WAIT_TIME_MIN_SAMPLES": 5,
    "FLEET_SCORE_ROLE_AFFINITY_MAX": 25,
    "FLEET_SCORE_ROLE_LARGE_THRESHOLD_GB": 20,
    "FLEET_SCORE_ROLE_SMALL_THRESHOLD_GB": 8,
    "FLEET_SCORE_AVAILABILITY_TREND_MAX": 10,
    "FLEET_SCORE_CONTEXT_FIT_MAX": 15,
    "FLEET_SCORE_SESSION_AFFINITY_MAX": 20,
    "FLEET_SCORE_SESSION_SECONDS": 900,
    "FLEET_PRESSURE_SPARES_RESIDENT": False,
    "FLEET_FIT_COUNTS_IDLE_MODELS": False,
    "FLEET_CAPACITY_MIN_AVAILABILITY": 0.20,
    "FLEET_CAPACITY_BOOTSTRAP_DAYS": 7,
    "FLEET_CAPACITY_BUSY_SECONDS": 120,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """One model at one node, with all that the written rules speak of; None is unknown or never."""

    model: str
    node: str
    listed: int
    enrolled: int
    pending: bool
    offline: bool
    unreachable: bool
    paused: bool
    draining: bool
    critical: bool
    learning: bool
    meeting: bool
    override: str | None
    observed_days: float
    availability: float
    busy_seconds: float
    resident: bool
    on_disk: bool
    lacks_need: bool
    unhealthy: bool
    available_gb: float | None
    need_gb: float
    weights_gb: float
    total_gb: float | None
    bandwidth: float | None
    median_bandwidth: float | None
    depth: int
    node_depth: int
    p75_seconds: float | None
    context: int
    tokens: int
    unloaded_ago: float | None
    session_ago: float | None
    last_chosen: float
