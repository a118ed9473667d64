"""What can go wrong, as values: worded once, put into the caller's dialect by its protocol."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class Problem(Exception):
    """A request that gets no answer. `outcome` is the audit's word (spec §3), `message` the client's.

    `kept`: what is recorded in the message's place, where that may hold words of the prompt.
    """

    outcome: str
    status: int
    message: str
    retry_after: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    kept: str = ""
    decision: str = ""  # the id of the decision that tells of it, if there is one

    def __str__(self) -> str:
        return f"{self.outcome}: {self.message}"


def too_deep() -> Problem:
    """A body nested deeper than can be read or written."""
    return Problem("invalid", 400, "invalid JSON: exceeded max depth")


@dataclass(eq=False)
class SlotRefused(Exception):
    """No slot at this target: its queue is full, or its node was lost while the request waited."""

    message: str
    full: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class UpstreamFailed(Exception):
    """An engine did not answer. `retryable`: another node may; `against`: it counts against this node:model.

    `message` is recorded; `heard` is what the client is told in its place, with the engine's own words.
    """

    message: str
    status: int = 502
    retryable: bool = True
    against: bool = True
    stalled: bool = False
    timed_out: bool = False
    stale: bool = False  # the engine lacks the model that our inventory names
    no_memory: bool = False  # the load was too large for the machine
    heard: str = ""
    refusal: Problem | None = None  # what the client is told unless another node can do it

    def __str__(self) -> str:
        return self.message
