"""One circuit per node:model: failures open it, time half-opens it for one trial, a success forgets it."""

from dataclasses import dataclass, replace

from nodes.lib.parameter import parameter

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half_open"


@dataclass(frozen=True, slots=True)
class CircuitPolicy:
    """When a node is suspended for a model, and for how long."""

    failures: int = parameter(
        3,
        "FLEET_CIRCUIT_FAILURES",
        "This many failures suspend a node for a model; a stall does at once.",
        lo=1,
        hi=100,
    )
    window: float = parameter(
        30.0, "FLEET_CIRCUIT_WINDOW", "How close together those failures must be.", lo=1, hi=3600, unit="s"
    )
    open_seconds: float = parameter(
        30.0,
        "FLEET_CIRCUIT_OPEN_SECONDS",
        "A suspended node gets one trial after this long.",
        lo=0.1,
        hi=3600,
        unit="s",
    )


@dataclass(frozen=True, slots=True)
class Circuit:
    """What is remembered of one node:model's failures; times in epoch seconds."""

    failures: tuple[float, ...] = ()
    opened_at: float | None = None
    trial: str = ""  # the ticket that tries a half-open circuit


def state(circuit: Circuit, now: float, policy: CircuitPolicy) -> str:
    """`closed`, `open` or `half_open`. A clock that was set back does not keep it open."""
    if circuit.opened_at is None:
        return CLOSED
    return OPEN if 0 <= now - circuit.opened_at < policy.open_seconds else HALF_OPEN


def admits(circuit: Circuit, now: float, policy: CircuitPolicy) -> bool:
    """May another request start? While half-open: only one at a time."""
    return {CLOSED: True, OPEN: False, HALF_OPEN: not circuit.trial}[state(circuit, now, policy)]


def after_start(circuit: Circuit, ticket: str) -> Circuit:
    """A ticket was admitted: at a circuit that had opened it is the trial."""
    return circuit if circuit.opened_at is None else replace(circuit, trial=ticket)


def after_end(circuit: Circuit, ticket: str) -> Circuit:
    """A ticket is no longer there; if it was the trial, another may try."""
    return replace(circuit, trial="") if circuit.trial == ticket else circuit


def after_failure(circuit: Circuit, now: float, policy: CircuitPolicy, stalled: bool = False) -> Circuit:
    """One failure more: it reopens a half-open circuit at once and does not prolong an open one."""
    if state(circuit, now, policy) == OPEN:
        return circuit
    failures = (*(at for at in circuit.failures if now - at < policy.window), now)
    opens = stalled or circuit.opened_at is not None or len(failures) >= policy.failures
    return Circuit(opened_at=now) if opens else Circuit(failures)
