"""What an operator may tune: every number of the specification, declared once. GROUPS is all of them."""

from dataclasses import dataclass

from nodes.core.circuit import CircuitPolicy
from nodes.core.parameters import Liveness
from nodes.lib.parameter import parameter


@dataclass(frozen=True, slots=True)
class ScoringWeights:
    """What each signal is worth, in points."""

    model_hot: float = parameter(50.0, "FLEET_SCORE_MODEL_HOT", "The model is in memory.", lo=0, hi=1000)
    model_warm: float = parameter(
        30.0, "FLEET_SCORE_MODEL_WARM", "It was unloaded a short while ago: its file is likely cached.", lo=0, hi=1000
    )
    model_cold: float = parameter(10.0, "FLEET_SCORE_MODEL_COLD", "It is on disk.", lo=0, hi=1000)
    warm_seconds: float = parameter(
        1800.0, "FLEET_SCORE_WARM_SECONDS", "How long an unloaded model counts as warm.", lo=0, hi=86400, unit="s"
    )
    memory_fit: float = parameter(
        20.0, "FLEET_SCORE_MEMORY_FIT_MAX", "It fits with comfort; the tiers below scale with it.", lo=0, hi=1000
    )
    queue_max: float = parameter(
        30.0, "FLEET_SCORE_QUEUE_DEPTH_MAX_PENALTY", "The most a deep queue costs.", lo=0, hi=1000
    )
    queue_per: float = parameter(
        6.0, "FLEET_SCORE_QUEUE_DEPTH_PENALTY_PER", "What each running or waiting request costs.", lo=0, hi=1000
    )
    queue_by_bandwidth: bool = parameter(
        False, "FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE", "Count a queue by the node's speed relative to the fleet's."
    )
    wait_max: float = parameter(
        25.0, "FLEET_SCORE_WAIT_TIME_MAX_PENALTY", "The most an estimated wait costs.", lo=0, hi=1000
    )
    wait_seconds_per_point: float = parameter(
        10.0,
        "FLEET_SCORE_WAIT_TIME_SECONDS_PER_POINT",
        "Seconds of estimated wait that cost one point.",
        lo=0.1,
        hi=3600,
        unit="s",
    )
    wait_min_samples: int = parameter(
        5, "FLEET_SCORE_WAIT_TIME_MIN_SAMPLES", "Completed requests before measured latency is believed.", lo=1, hi=500
    )
    role_max: float = parameter(
        25.0,
        "FLEET_SCORE_ROLE_AFFINITY_MAX",
        "The most that a node's fitness for the model's size is worth; the signal scales with it.",
        lo=0,
        hi=1000,
    )
    role_large_gb: float = parameter(
        20.0, "FLEET_SCORE_ROLE_LARGE_THRESHOLD_GB", "A model over this is large.", lo=0, hi=10000, unit="GB"
    )
    role_small_gb: float = parameter(
        8.0, "FLEET_SCORE_ROLE_SMALL_THRESHOLD_GB", "A model under this is small.", lo=0, hi=10000, unit="GB"
    )
    availability_max: float = parameter(
        10.0, "FLEET_SCORE_AVAILABILITY_TREND_MAX", "A fully available machine, with learning on.", lo=0, hi=1000
    )
    context_max: float = parameter(
        15.0,
        "FLEET_SCORE_CONTEXT_FIT_MAX",
        "The loaded context holds the request with room to spare; the tiers scale with it.",
        lo=0,
        hi=1000,
    )
    session_max: float = parameter(
        20.0, "FLEET_SCORE_SESSION_AFFINITY_MAX", "The node that holds this conversation's prefix cache.", lo=0, hi=1000
    )
    session_seconds: float = parameter(
        900.0,
        "FLEET_SCORE_SESSION_SECONDS",
        "How long a conversation's cache is believed in.",
        lo=0,
        hi=86400,
        unit="s",
    )


@dataclass(frozen=True, slots=True)
class EliminationPolicy:
    """When a node can't serve."""

    pressure_spares_resident: bool = parameter(
        False,
        "FLEET_PRESSURE_SPARES_RESIDENT",
        "Under critical memory pressure, still serve a model that is already loaded.",
    )
    fit_counts_idle: bool = parameter(
        False,
        "FLEET_FIT_COUNTS_IDLE_MODELS",
        "Count the memory of idle, unpinned models as free: the engine would evict them.",
    )
    min_availability: float = parameter(
        0.20, "FLEET_CAPACITY_MIN_AVAILABILITY", "A learning node less available than this takes nothing.", lo=0, hi=1
    )
    bootstrap_days: float = parameter(
        7.0,
        "FLEET_CAPACITY_BOOTSTRAP_DAYS",
        "A learning node observes this long before it takes anything.",
        lo=0,
        hi=365,
        unit="days",
    )
    busy_cpu_seconds: float = parameter(
        120.0,
        "FLEET_CAPACITY_BUSY_SECONDS",
        "CPU above 85 % for this long pauses a learning node.",
        lo=1,
        hi=86400,
        unit="s",
    )


@dataclass(frozen=True, slots=True)
class QueuePolicy:
    """How much may run and wait."""

    max_queue: int = parameter(256, "FLEET_MAX_QUEUE", "The most that wait in one queue.", lo=1, hi=100000)
    max_held: int = parameter(1000, "FLEET_MAX_HELD", "The most that are held for want of a node.", lo=0, hi=100000)
    hold_seconds: float = parameter(
        30.0, "FLEET_HOLD_TIMEOUT", "How long a request waits for a node in all.", lo=0, hi=3600, unit="s"
    )
    hold_retry: float = parameter(
        2.0, "FLEET_HOLD_RETRY_INTERVAL", "How often a held request is ranked again.", lo=0.1, hi=60, unit="s"
    )
    hold_makes_room: bool = parameter(
        True, "FLEET_HOLD_MAKES_ROOM", "Unload the least recently used idle model when nothing else stands in the way."
    )
    kv_gb: float = parameter(
        2.0,
        "FLEET_KV_GB_PER_REQUEST",
        "Memory of one running request where it was not measured.",
        lo=0.01,
        hi=1000,
        unit="GB",
    )
    max_slots: int = parameter(
        8, "FLEET_MAX_SLOTS", "The most slots that memory alone can earn a queue.", lo=1, hi=1024
    )
    auto_pull: bool = parameter(
        False, "FLEET_AUTO_PULL", "Pull a model that no node has, when a request asks for it; a key needs the right to."
    )
    auto_pull_seconds: float = parameter(
        300.0, "FLEET_AUTO_PULL_TIMEOUT", "How long a request waits for such a pull.", lo=0.05, hi=86400, unit="s"
    )
    retry_after: int = parameter(
        5, "FLEET_RETRY_AFTER", "What Retry-After tells a client we could not serve now.", lo=1, hi=3600, unit="s"
    )


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """Clocks, retries, circuits. No clock counts the time in our queues."""

    max_retries: int = parameter(2, "FLEET_MAX_RETRIES", "Further tries before the first byte.", lo=0, hi=10)
    connect: float = parameter(3.0, "FLEET_CONNECT_TIMEOUT", "To reach an engine.", lo=0.05, hi=60, unit="s")
    load_base: float = parameter(
        60.0, "FLEET_LOAD_TIMEOUT", "To load a model, whatever its size …", lo=0.05, hi=3600, unit="s"
    )
    load_per_gb: float = parameter(10.0, "FLEET_LOAD_TIMEOUT_PER_GB", "… and for each GB …", lo=0, hi=600, unit="s/GB")
    load_max: float = parameter(900.0, "FLEET_LOAD_TIMEOUT_MAX", "… and at most.", lo=0.05, hi=7200, unit="s")
    first_token: float = parameter(
        300.0, "FLEET_FIRST_TOKEN_TIMEOUT", "To the first byte once the model is loaded.", lo=0.05, hi=7200, unit="s"
    )
    gap: float = parameter(
        120.0, "FLEET_STREAM_GAP_TIMEOUT", "Between two chunks of a stream.", lo=0.05, hi=7200, unit="s"
    )
    answer: float = parameter(
        1800.0, "FLEET_ANSWER_TIMEOUT", "For a whole answer that is not streamed.", lo=0.05, hi=86400, unit="s"
    )
    drain: float = parameter(
        30.0, "FLEET_DRAIN_TIMEOUT", "For running requests when the server stops.", lo=0, hi=3600, unit="s"
    )


@dataclass(frozen=True, slots=True)
class JobPolicy:
    """Stages 4 and 5."""

    prewarm_threshold: int = parameter(
        3, "FLEET_PRE_WARM_THRESHOLD", "A queue this deep has its model loaded on the runner-up.", lo=1, hi=1000
    )
    prewarm_min_availability: float = parameter(
        0.60,
        "FLEET_PRE_WARM_MIN_AVAILABILITY",
        "A learning node less available than this is not pre-warmed.",
        lo=0,
        hi=1,
    )
    prewarm_limit: float = parameter(
        900.0, "FLEET_PRE_WARM_TIMEOUT", "How long one pre-warm may take.", lo=1, hi=7200, unit="s"
    )
    rebalance_threshold: int = parameter(
        4, "FLEET_REBALANCE_THRESHOLD", "A queue with this many waiting is relieved.", lo=1, hi=1000
    )
    rebalance_max: int = parameter(
        3, "FLEET_REBALANCE_MAX_PER_CYCLE", "The most requests moved in one cycle.", lo=0, hi=1000
    )
    rebalance_most_moves: int = parameter(
        2, "FLEET_REBALANCE_MAX_MOVES", "How often one request may be moved.", lo=0, hi=100
    )


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """What becomes of a context that a client asks for."""

    protection: str = parameter(
        "strip",
        "FLEET_CONTEXT_PROTECTION",
        "A num_ctx for which the engine would load the model again: strip sends it only if it is above the loaded "
        "context; warn sends it and says so in a header; passthrough sends it.",
        choices=("strip", "warn", "passthrough"),
    )


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Who may use the data plane."""

    require_key: str = parameter(
        "auto", "FLEET_REQUIRE_API_KEY", "auto: from everywhere but this machine.", choices=("auto", "always", "never")
    )
    trusted_proxies: str = parameter(
        "", "FLEET_TRUSTED_PROXIES", "Addresses or networks, comma-separated, whose forwarding headers are believed."
    )
    allowed_hosts: str = parameter(
        "", "FLEET_ALLOWED_HOSTS", "Host names, comma-separated, by which this server may be called, beside local ones."
    )
    cors_origins: str = parameter(
        "", "FLEET_CORS_ORIGINS", "Web origins, comma-separated, whose pages may call the data plane; * for all."
    )
    max_body_mb: float = parameter(
        64.0, "FLEET_MAX_BODY_MB", "The largest request body, unpacked.", lo=0.001, hi=4096, unit="MB"
    )


@dataclass(frozen=True, slots=True)
class RecordPolicy:
    """What is remembered, and for how long."""

    keep_days: float = parameter(
        30.0, "FLEET_DECISIONS_KEEP_DAYS", "Decisions older than this are deleted.", lo=0.01, hi=3650, unit="days"
    )
    keep_rows: int = parameter(
        1_000_000, "FLEET_DECISIONS_KEEP_ROWS", "The most decisions that are kept.", lo=100, hi=100_000_000
    )
    refusals_per_second: int = parameter(
        10,
        "FLEET_REFUSALS_PER_SECOND",
        "Refusals recorded per address and second; the rest are counted.",
        lo=1,
        hi=10000,
    )


GROUPS: tuple[type, ...] = (
    ScoringWeights,
    EliminationPolicy,
    QueuePolicy,
    FailurePolicy,
    CircuitPolicy,
    JobPolicy,
    Liveness,
    ContextPolicy,
    AccessPolicy,
    RecordPolicy,
)
