"""What the dashboards call things: one word for each code, one tone for each word."""

from collections.abc import Mapping

GOOD, WARN, BAD, SOFT = "good", "warn", "bad", "soft"

# In the order of the breakdown; the colours are --s1 … --s8 of fleet.css, in the same order.
SIGNALS: Mapping[str, str] = {
    "model_warmth": "warm",
    "memory_fit": "fit",
    "queue_depth": "queue",
    "wait_time": "wait",
    "role_affinity": "role",
    "availability_trend": "avail",
    "context_fit": "ctx",
    "session_affinity": "sess",
}
REASONS: Mapping[str, str] = {
    "pending": "waits for an operator's approval",
    "offline": "offline",
    "unreachable": "can't be reached",
    "paused": "paused",
    "draining": "draining",
    "memory_pressure": "its memory pressure is critical",
    "capacity": "its owner needs it, or too little is known of when",
    "model_absent": "does not have the model",
    "capability": "its model can't do what was asked",
    "unhealthy": "suspended for this model after failures",
    "no_memory": "not enough free memory to load it",
}
OUTCOMES: Mapping[str, tuple[str, str]] = {
    "completed": ("completed", GOOD),
    "client_gone": ("client left", SOFT),
    "upstream_failed": ("failed", BAD),
    "timed_out": ("timed out", BAD),
    "hold_expired": ("no node", BAD),
    "queue_full": ("queues full", BAD),
    "unknown_model": ("unknown model", BAD),
    "invalid": ("invalid", BAD),
    "refused": ("refused", BAD),
    "interrupted": ("interrupted", WARN),
}
STAGES: Mapping[str, tuple[str, str]] = {
    "routing": ("routing", SOFT),
    "held": ("held", WARN),
    "waiting": ("waiting", WARN),
    "loading": ("loading", WARN),
    "running": ("running", GOOD),
}
STATES: Mapping[str, str] = {
    "online": GOOD,
    "degraded": WARN,
    "draining": WARN,
    "paused": WARN,
    "pending": WARN,
    "unreachable": BAD,
    "offline": BAD,
}


def for_page() -> dict[str, object]:
    """The words that the page itself needs."""
    return {"signals": SIGNALS, "reasons": REASONS, "outcomes": {**STAGES, **OUTCOMES}}
