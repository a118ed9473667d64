"""Whether a node is there, whether it serves at all, and which changes of it may let a request go on."""

from operator import attrgetter

from nodes.core.values import Memory, NodeSnapshot

NOTICEABLE_GB = 0.5  # more than free memory wavers by itself from one reading to the next
# What decides whether a request can run on a node; anything else only changes its rank.
_decisive = attrgetter(
    "status",
    "enrolment",
    "reachable",
    "paused",
    "draining",
    "granted_gb",
    "resident",
    "on_disk",
    "capacity",
    "parallel",
    "engine_parallel",
)


def is_there(node: NodeSnapshot) -> bool:
    """May this node be asked, and would it answer? Not while pending, offline or unreachable."""
    return node.enrolment == "approved" and node.status != "offline" and node.reachable


def serves(node: NodeSnapshot) -> bool:
    """Does this node take requests? It is there, and neither paused nor draining."""
    return is_there(node) and not node.paused and not node.draining


def may_free_requests(before: NodeSnapshot | None, after: NodeSnapshot) -> bool:
    """Is there a difference that could let a held request go on?"""
    return before is None or _decisive(before) != _decisive(after) or _eased(before.memory, after.memory)


def _eased(before: Memory, after: Memory) -> bool:
    """Is the pressure another, or noticeably more memory available? What creeps is seen when the held look again."""
    was, now = before.available_gb, after.available_gb
    if was is None or now is None or before.pressure != after.pressure:
        return (was, before.pressure) != (now, after.pressure)
    return now - was >= NOTICEABLE_GB
