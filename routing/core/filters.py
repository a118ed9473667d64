"""Stage 1, elimination: who can't serve, and why. The first row that applies is the reason."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from routing.core.candidates import Candidate
from routing.core.parameters import EliminationPolicy


class Filter(NamedTuple):
    """One reason to be out, and when it applies."""

    reason: str
    applies: Callable[[Candidate, EliminationPolicy], bool]


def sieve(
    candidates: Sequence[Candidate], policy: EliminationPolicy
) -> tuple[list[Candidate], list[tuple[Candidate, str]]]:
    """Those that can serve; and the others, each with the first reason against it. Both in their order.

    Filter by filter, not candidate by candidate: a loop over one function is four times as fast as one over many.
    """
    left, reasons = list(enumerate(candidates)), dict[int, str]()
    for reason, applies in FILTERS:
        gone = {place: reason for place, candidate in left if applies(candidate, policy)}
        if gone:
            reasons |= gone
            left = [(place, candidate) for place, candidate in left if place not in gone]
    return [candidate for _, candidate in left], [(candidates[place], reasons[place]) for place in sorted(reasons)]


def is_pending(c: Candidate, _: EliminationPolicy) -> bool:
    """No operator has approved the node yet."""
    return c.node.enrolment != "approved"


def is_offline(c: Candidate, _: EliminationPolicy) -> bool:
    """Nothing was heard of the node for too long."""
    return c.node.status == "offline"


def is_unreachable(c: Candidate, _: EliminationPolicy) -> bool:
    """The router can't reach its engine."""
    return not c.node.reachable


def is_paused(c: Candidate, _: EliminationPolicy) -> bool:
    """An operator or the agent paused it."""
    return c.node.paused


def is_draining(c: Candidate, _: EliminationPolicy) -> bool:
    """It finishes what it has and takes nothing new."""
    return c.node.draining


def is_under_pressure(c: Candidate, policy: EliminationPolicy) -> bool:
    """Its memory pressure is critical; a resident model is spared only by option."""
    spared = policy.pressure_spares_resident and c.resident is not None
    return c.node.memory.pressure == "critical" and not spared


def is_taken(c: Candidate, policy: EliminationPolicy) -> bool:
    """With learning on: its owner needs it, or too little is known of when the owner does."""
    capacity = c.node.capacity
    if capacity is None or not capacity.learning:
        return False
    if capacity.meeting or capacity.override == "full":
        return capacity.meeting
    return (
        capacity.override == "pause"
        or capacity.cpu_over_85_seconds >= policy.busy_cpu_seconds
        or capacity.availability < policy.min_availability
        or capacity.observed_days < policy.bootstrap_days
    )


def lacks_the_model(c: Candidate, _: EliminationPolicy) -> bool:
    """The model is neither in memory nor on disk there."""
    return c.resident is None and c.on_disk is None


def lacks_a_capability(c: Candidate, _: EliminationPolicy) -> bool:
    """The node says that this model can't do what the request needs."""
    return bool(c.unmet)


def is_unhealthy(c: Candidate, _: EliminationPolicy) -> bool:
    """The circuit of this node:model is open after failures."""
    return not c.healthy


def lacks_memory(c: Candidate, _: EliminationPolicy) -> bool:
    """The model is not in memory and needs more than is available."""
    return c.resident is None and c.available_gb is not None and c.available_gb < c.need_gb


NO_MEMORY = "no_memory"
FILTERS = (
    Filter("pending", is_pending),
    Filter("offline", is_offline),
    Filter("unreachable", is_unreachable),
    Filter("paused", is_paused),
    Filter("draining", is_draining),
    Filter("memory_pressure", is_under_pressure),
    Filter("capacity", is_taken),
    Filter("model_absent", lacks_the_model),
    Filter("capability", lacks_a_capability),
    Filter("unhealthy", is_unhealthy),
    Filter(NO_MEMORY, lacks_memory),
)
