"""Values as the API shows them: pure functions, the one place that knows these JSON forms."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from nodes.core.values import FleetSnapshot, Latency, QueueDepth, QueueKey
from nodes.lib.times import iso
from routing.core.parameters import QueuePolicy
from routing.core.slots import slots

DECISION = (
    "id",
    "at",
    "dialect",
    "path",
    "stream",
    "requested_model",
    "served_model",
    "node",
    "policy",
    "parameters_version",
    "score",
    "outcome",
    "status",
    "reason",
    "key",
    "tags",
    "session",
    "route",
    "held_ms",
    "queue_ms",
    "first_token_ms",
    "total_ms",
    "prompt_tokens",
    "completion_tokens",
    "retries",
    "moves",
    "candidates",
    "eliminated",
    "eliminated_counts",
    "attempts",
)
API_KEY = ("name", "prefix", "models", "pull", "rpm", "max_in_flight", "expires_at", "revoked_at", "created_at")
NULL_WHEN_EMPTY = {"served_model", "node", "key", "session", "route"}


def moment(at: object) -> datetime:
    """A point in time in UTC, from epoch seconds or an aware datetime."""
    return at.astimezone(UTC) if isinstance(at, datetime) else datetime.fromtimestamp(float(at), UTC)  # type: ignore[arg-type]


def decision(row: Mapping[str, Any]) -> dict[str, Any]:
    """One decision, from a row of the table or of a trace that still lives."""
    shown = {name: row.get(name) for name in DECISION}
    empty = {name: None for name in NULL_WHEN_EMPTY if not shown[name]}
    return shown | empty | {"at": iso(moment(row["at"]).timestamp())}


def queues(fleet: FleetSnapshot, policy: QueuePolicy) -> list[dict[str, Any]]:
    """Every queue of the fleet."""
    return [_queue(key, depth, fleet, policy) for key, depth in sorted(fleet.queues.items())]


def latencies(fleet: FleetSnapshot) -> list[dict[str, Any]]:
    """What is known of how long each model takes on each node."""
    return [_latency(key, latency) for key, latency in sorted(fleet.latency.items())]


def api_key(row: object) -> dict[str, Any]:
    """One key, from its row; never its secret."""
    values = {name: getattr(row, name) for name in API_KEY}
    return {name: iso(value.timestamp()) if isinstance(value, datetime) else value for name, value in values.items()}


def alias(row: object) -> dict[str, Any]:
    """One alias, from its row."""
    return {name: getattr(row, name) for name in ("name", "target", "fallbacks")}


def _queue(key: QueueKey, depth: QueueDepth, fleet: FleetSnapshot, policy: QueuePolicy) -> dict[str, Any]:
    node, latency = fleet.node(key.node), fleet.latency.get(key)
    return {
        "node": key.node,
        "model": key.model,
        "in_flight": depth.in_flight,
        "pending": depth.pending,
        "slots": slots(node, key.model, fleet, policy) if node else 0,
        "oldest_wait_s": max(0.0, fleet.now - depth.oldest_at) if depth.oldest_at is not None else None,
        "est_wait_s": depth.total * latency.p75_ms / 1000 if latency else None,
    }


def _latency(key: QueueKey, latency: Latency) -> dict[str, Any]:
    return {"node": key.node, "model": key.model, "p75_ms": latency.p75_ms, "samples": latency.samples}
