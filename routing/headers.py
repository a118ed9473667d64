"""What our answers say of the decision (spec §7), and to web pages (CORS)."""

from nodes.lib.live import current
from routing.core.context import asked_context, loads_again
from routing.core.parameters import ContextPolicy
from routing.recorder import Trace

Headers = list[tuple[bytes, bytes]]


def decision_headers(trace: Trace) -> Headers:
    """`X-Fleet-…`; the decision's id only where it can be looked up.

    Those that say how it was scored only where it was: a rebalance may have found a node since.
    """
    lines = {"X-Fleet-Decision": trace.id} if trace.recorded else {}
    if trace.node and trace.request is not None:
        lines |= {
            "X-Fleet-Node": trace.node,
            "X-Fleet-Served-Model": trace.served_model,
            "X-Fleet-Fallback": str(trace.served_model != trace.request.demand.models[0]).lower(),
            "X-Fleet-Retries": str(trace.retries),
            "X-Fleet-Queue-Wait-Ms": str(round((trace.held_s + trace.queued_s) * 1000)),
        }
        if loads_again(asked_context(trace.request), trace.context, current(ContextPolicy)):
            lines["X-Fleet-Context-Reload"] = "true"
    if winner := trace.winner:
        lines["X-Fleet-Score"] = f"{winner.score:.2f}"
        lines["X-Fleet-Affinity"] = "matched" if winner.signals["session_affinity"] > 0 else "new"
        if winner.context_overflow:
            lines["X-Fleet-Context-Overflow"] = "true"
    return [(k.lower().encode(), v.encode("latin-1", "replace")) for k, v in lines.items()]


def cors_headers(origin: str) -> Headers:
    """For an origin that the doors let in; nothing for no origin."""
    if not origin:
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1", "replace")),
        (b"access-control-expose-headers", b"*"),
        (b"vary", b"Origin"),
    ]


PREFLIGHT: Headers = [
    (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS"),
    (b"access-control-allow-headers", b"*, Authorization, X-Api-Key, Content-Type"),
    (b"access-control-max-age", b"43200"),
]
STREAM: Headers = [(b"x-accel-buffering", b"no"), (b"cache-control", b"no-store")]
