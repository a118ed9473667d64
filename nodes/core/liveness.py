"""Is a node there? From when it was last heard."""

from collections.abc import Callable
from dataclasses import replace

from nodes.core.parameters import Liveness
from nodes.core.values import NodeSnapshot


def aged(node: NodeSnapshot, now: float, limits: Liveness) -> NodeSnapshot:
    """The node with the status that its silence earns it."""
    status = status_of(node, now, limits)
    return node if status == node.status else replace(node, status=status)


def status_of(node: NodeSnapshot, now: float, limits: Liveness) -> str:
    """online, degraded or offline.

    A node that was never heard is not silent: what keeps it out is that it can't be reached, and its trouble says why.
    """
    if not node.last_seen:
        return "offline" if node.reachable else "degraded"
    silence = now - node.last_seen
    if silence > limits.offline_after:
        return "offline"
    return "degraded" if silence > limits.degraded_after else "online"


STATES: tuple[tuple[str, Callable[[NodeSnapshot], bool]], ...] = (
    ("pending", lambda node: node.enrolment == "pending"),
    ("paused", lambda node: node.paused),
    ("draining", lambda node: node.draining),
    ("offline", lambda node: node.status == "offline"),
    ("unreachable", lambda node: not node.reachable),
    ("degraded", lambda node: node.status == "degraded"),
)


def state(node: NodeSnapshot) -> str:
    """The one word that an operator sees: the first that is true of the node, else online."""
    return next((word for word, holds in STATES if holds(node)), "online")
