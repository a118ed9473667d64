"""Where a model is looked after: pulled, created, pushed, copied, deleted. For inference see `ranking`."""

from nodes.core.serving import is_there, serves
from nodes.core.values import FleetSnapshot, NodeSnapshot
from routing.core.engines import is_ollama
from routing.core.estimates import known_elsewhere
from routing.core.problems import Problem


def called(fleet: FleetSnapshot, name: str) -> NodeSnapshot:
    """The node that a client names, if it can be asked to look after models; raises Problem."""
    approved = [n for n in fleet.nodes if n.enrolment == "approved"]
    node = next((n for n in approved if name in (n.name, n.id)), None)
    if node is None:
        known = ", ".join(n.name for n in approved) or "none"
        raise Problem("invalid", 404, f"there is no node '{name}'; nodes: {known}")
    if trouble := hindrance(node):
        raise Problem("invalid", 400 if not is_ollama(node) else 503, f"{node.name} {trouble}")
    return node


def hindrance(node: NodeSnapshot) -> str:
    """Why this node can't look after models, in words that follow its name; empty if it can."""
    if not is_ollama(node):
        return "is no Ollama: what it serves is set where it is started"
    return "" if is_there(node) else "can't be reached now"


def holders(fleet: FleetSnapshot, model: str) -> list[NodeSnapshot]:
    """The approved nodes that have a model, those that can look after it first; reached or not."""
    having = [n for n in fleet.nodes if n.enrolment == "approved" and n.has(model)]
    return sorted(having, key=lambda n: bool(hindrance(n)))


def to_pull(fleet: FleetSnapshot, model: str) -> NodeSnapshot:
    """The node to pull a model onto: of those that can hold it and lack it, the one with the most memory available.

    If all that can hold it have it, the best of these: its copy is brought up to date. A size or a memory that is not
    known keeps nobody out. Raises Problem.
    """
    there = _there(fleet, f"to pull {model}")
    size = known_elsewhere(model, fleet)
    roomy = [n for n in there if size is None or n.memory.total_gb is None or n.memory.total_gb >= size]
    if not roomy:
        largest = max(n.memory.total_gb or 0.0 for n in there)
        words = f"no node can hold {model}: it takes {size:.1f} GB, the largest node has {largest:.1f} GB"
        raise Problem("invalid", 400, words)
    return min(roomy, key=lambda n: (n.has(model), -(n.memory.available_gb or n.memory.total_gb or 0.0)))


def home_of_blobs(fleet: FleetSnapshot) -> NodeSnapshot:
    """Where blobs go, and what is created from them, unless a client names a node: the Ollama with the most memory.

    It does not change with the load: what is sent in several requests ends up together. Raises Problem.
    """
    return max(_there(fleet, "to keep it"), key=lambda n: n.memory.total_gb or 0.0)


def _there(fleet: FleetSnapshot, purpose: str) -> list[NodeSnapshot]:
    there = [n for n in fleet.nodes if is_ollama(n) and serves(n)]
    if not there:
        raise Problem("hold_expired", 503, f"there is no Ollama {purpose}: none can be reached")
    return there
