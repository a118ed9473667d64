"""RECORD: the trace of one request, the only thing that changes on its way."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from nodes.core.values import NodeSnapshot, Pin, QueueKey, Standing
from nodes.fleet import get_fleet
from nodes.lib.live import current
from nodes.lib.parameter import ParametersVersion
from routing import eventlog
from routing.core.problems import Problem, UpstreamFailed
from routing.core.ranking import Ranking, Scored
from routing.core.request import InferenceRequest
from routing.rows import row

TAIL_KEPT = 8192  # bytes of an answer's end: enough for any terminal line


def new_id(now: float) -> str:
    """A decision's id: 24 hex digits that sort by time."""
    return f"{int(now * 1000):012x}{secrets.token_hex(6)}"


@dataclass(slots=True)
class Trace:
    """Everything that the audit says of one request; the default outcome is unknown."""

    path: str
    dialect: str
    client: str = ""
    at: float = field(default_factory=time.time)
    id: str = ""
    request: InferenceRequest | None = None
    key: str = ""
    outcome: str | None = None
    status: int | None = None
    reason: str = ""
    recorded: bool = True  # False: one refusal too many, it is only counted
    ranking: Ranking | None = None
    winner: Scored | None = None
    node: str = ""  # the name of the node that serves
    node_id: str = ""
    served_model: str = ""
    parameters_version: int = field(default_factory=lambda: current(ParametersVersion).number)
    held_s: float = 0.0
    queued_s: float = 0.0
    tried: int = 0  # engines asked
    moves: int = 0
    failure: Exception | None = None  # of the last target
    engine_failure: UpstreamFailed | None = None  # of the last engine that was asked
    attempts: list[dict[str, Any]] = field(default_factory=list)
    translated: bool = False  # the node does not speak the client's dialect
    cold: bool = False  # the engine must load the model first
    context: int | None = None  # that it is loaded with, when the engine is asked
    waiting: bool = True  # held or queued: nothing has been sent to an engine
    started: bool = False  # the first byte is on its way to the client
    sent_at: float = 0.0
    first_at: float = 0.0
    ended_at: float = 0.0
    begun: float = field(default_factory=time.perf_counter)
    tail: bytes = b""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def __post_init__(self) -> None:
        self.id = self.id or new_id(self.at)

    @property
    def retries(self) -> int:
        """Engines asked beyond the first."""
        return max(0, self.tried - 1)

    @property
    def done(self) -> bool:
        """Has it ended?"""
        return self.outcome is not None

    def row(self) -> dict[str, object]:
        """The decision's columns, as they are now."""
        return row(self)

    def ranked(self, ranking: Ranking) -> None:
        """What the scorer saw and said, this time."""
        self.ranking = ranking

    def tries(self, standing: Standing, node: NodeSnapshot) -> None:
        """A slot is ours: the engine is asked now. A rebalance may have changed the node."""
        assert standing.queue is not None and self.ranking is not None
        self.node_id, self.served_model = standing.queue
        self.node, self.tried, self.moves = node.name, self.tried + 1, standing.moves
        resident = node.resident.get(self.served_model)
        self.cold, self.context = resident is None, resident.context if resident else None
        self.winner = next((s for s in self.ranking.ranked if (s.node, s.model) == standing.queue), None)
        self.waiting, self.sent_at, self.failure, self.tail = False, time.perf_counter(), None, b""

    def saw(self, status: int | None, piece: bytes) -> None:
        """The head of the answer (its status), or bytes of it."""
        if status is not None:
            self.status, self.first_at = status, time.perf_counter()
        self.tail = (self.tail + piece)[-TAIL_KEPT:] if len(piece) < TAIL_KEPT else piece[-TAIL_KEPT:]

    def failed(self, failure: Exception, node_name: str) -> None:
        """One target is done with, without an answer."""
        elapsed = 0.0
        if isinstance(failure, UpstreamFailed):
            self.engine_failure, elapsed = failure, time.perf_counter() - self.sent_at
        self.attempts.append({"node": node_name, "error": str(failure), "ms": round(elapsed * 1000, 3)})
        self.failure, self.waiting = failure, True

    def ended(self, outcome: str, status: int | None = None, reason: str = "") -> None:
        """How it came out; the first word stands."""
        if self.outcome is None:
            self.outcome, self.ended_at = outcome, time.perf_counter()
            self.status = status if status is not None else self.status
            self.reason = reason or self.reason

    def verdict(self, problem: Problem) -> None:
        """It ended with a problem of ours."""
        self.ended(problem.outcome, problem.status, problem.kept or problem.message)


async def blame(trace: Trace, stalled: bool = False) -> None:
    """A failure that speaks against this node for this model."""
    if await get_fleet().failed(QueueKey(trace.node_id, trace.served_model), stalled):
        eventlog.suspended(trace.node, trace.served_model)


async def learn(trace: Trace, session: str | None) -> None:
    """What an answered request teaches: latency, health, where its session's cache is; of an engine that died in the
    middle and said so, only that it did. Errors that are answers teach nothing."""
    fleet, queue = get_fleet(), QueueKey(trace.node_id, trace.served_model)
    if trace.outcome == "upstream_failed" and trace.status == 200:
        await blame(trace)
    if trace.outcome != "completed":
        return
    await fleet.observe(queue, trace.ended_at - trace.sent_at)
    if await fleet.succeeded(queue):
        eventlog.restored(trace.node, trace.served_model)
    if session:
        await fleet.pin(session, Pin(trace.served_model, trace.node_id, time.time()))
