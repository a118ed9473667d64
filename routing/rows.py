"""A trace as the columns of its decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nodes.fleet import get_fleet
from nodes.fleet.owner import OWNER
from routing.core.request import InferenceRequest

if TYPE_CHECKING:
    from routing.recorder import Trace

CANDIDATES_KEPT, ELIMINATED_KEPT = 15, 16


def row(trace: Trace) -> dict[str, object]:
    """The decision's columns, as they are now; JSON columns as plain values."""
    return {name: read(trace) for name, read in COLUMNS.items()}


def candidates(trace: Trace) -> list[dict[str, object]]:
    """The winner and the best fifteen, with signals and inputs in full."""
    ranked = trace.ranking.ranked if trace.ranking else ()
    kept = list(ranked[:CANDIDATES_KEPT])
    if trace.winner is not None and trace.winner not in kept:
        kept.append(trace.winner)
    return [
        {
            "node": s.candidate.node.name or s.node,
            "model": s.model,
            "score": s.shown,
            "signals": s.signals,
            "inputs": s.inputs,
        }
        for s in kept
    ]


def eliminated(trace: Trace) -> list[dict[str, str]]:
    """Sixteen examples of who was out, and why."""
    rows = trace.ranking.eliminated if trace.ranking else ()
    return [{"node": named(e.node), "model": e.model, "reason": e.reason} for e in rows[:ELIMINATED_KEPT]]


def named(node_id: str) -> str:
    """A node's name; its id if it has none, or is gone."""
    node = get_fleet().node(node_id)
    return node.name or node.id if node else node_id


def eliminated_counts(trace: Trace) -> dict[str, int]:
    """How many were out for each reason."""
    counts: dict[str, int] = {}
    for e in trace.ranking.eliminated if trace.ranking else ():
        counts[e.reason] = counts.get(e.reason, 0) + 1
    return counts


def _of_request(read: Callable[[InferenceRequest], object], absent: object) -> Callable[[Trace], object]:
    return lambda t: read(t.request) if t.request is not None else absent


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


COLUMNS: Mapping[str, Callable[[Trace], object]] = {
    "id": lambda t: t.id,
    "at": lambda t: datetime.fromtimestamp(t.at, UTC),
    "dialect": lambda t: t.dialect,
    "path": lambda t: t.path,
    "stream": _of_request(lambda r: r.stream, False),
    "requested_model": _of_request(lambda r: r.asked, ""),
    "served_model": lambda t: t.served_model,
    "node": lambda t: t.node,
    "policy": lambda t: "additive",
    "parameters_version": lambda t: t.parameters_version,
    "score": lambda t: t.winner.shown if t.winner else None,
    "outcome": lambda t: t.outcome,
    "status": lambda t: t.status,
    "reason": lambda t: t.reason,
    "key": lambda t: t.key,
    "tags": _of_request(lambda r: list(r.tags), []),
    "session": _of_request(lambda r: r.session or "", ""),
    "route": lambda t: "translated" if t.translated else "native",
    "held_ms": lambda t: _ms(t.held_s),
    "queue_ms": lambda t: _ms(t.queued_s),
    "first_token_ms": lambda t: _ms(t.first_at - t.begun) if t.first_at else None,
    "total_ms": lambda t: _ms(t.ended_at - t.begun) if t.ended_at else None,
    "prompt_tokens": lambda t: t.prompt_tokens,
    "completion_tokens": lambda t: t.completion_tokens,
    "retries": lambda t: t.retries,
    "moves": lambda t: t.moves,
    "candidates": candidates,
    "eliminated": eliminated,
    "eliminated_counts": eliminated_counts,
    "attempts": lambda t: list(t.attempts),
    "process": lambda t: OWNER,
}
