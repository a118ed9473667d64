"""Whether a node serves at all, and which changes of it may let a request go on."""

from operator import attrgetter

from nodes.core.values import NodeSnapshot

# What decides whether a request can run on a node; anything else only changes its rank.
_decisive = attrgetter(
    "status",
    "enrolment",
    "reachable",
    "paused",
    "draining",
    "memory",
    "granted_gb",
    "resident",
    "on_disk",
    "capacity",
    "parallel",
    "engine_parallel",
)


def answers(node: NodeSnapshot) -> bool:
    """Is it there to be asked? Not while pending, offline or unreachable."""
    return node.enrolment == "approved" and node.status != "offline" and node.reachable


def serves(node: NodeSnapshot) -> bool:
    """Does this node take requests? Not while pending, offline, unreachable, paused or draining."""
    return answers(node) and not node.paused and not node.draining


def may_free_requests(before: NodeSnapshot | None, after: NodeSnapshot) -> bool:
    """Is there a difference that could let a held request go on?"""
    return before is None or _decisive(before) != _decisive(after)
