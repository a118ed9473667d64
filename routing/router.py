"""ROUTE: the best target, then the next best; holds when there is none; falls back as the client allowed."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from nodes.core.values import FleetSnapshot, Pin, QueueKey, Ticket
from nodes.fleet import get_fleet
from nodes.fleet.owner import OWNER
from nodes.lib.live import current
from routing.core.candidates import unmet
from routing.core.parameters import EliminationPolicy, FailurePolicy, QueuePolicy, ScoringWeights
from routing.core.problems import Problem, SlotRefused, UpstreamFailed
from routing.core.ranking import UNKNOWN_MODEL, Policy, Ranking, Scored, rank
from routing.core.request import InferenceRequest
from routing.core.room import mark_idle
from routing.core.routes import servers
from routing.recorder import Trace
from routing.rows import named
from routing.shutdown import accepting

MakeRoom = Callable[[FleetSnapshot, Trace], Awaitable[None]]
Fetch = Callable[[Ticket, Trace], Awaitable[bool]]  # the model that nobody has; False: it is not to be fetched

NO_NODES = "no approved node: add one with `python manage.py node add NAME URL`"


@dataclass(frozen=True, slots=True)
class Target:
    """Where to try next."""

    scored: Scored
    queue: QueueKey
    ticket: Ticket


@dataclass(slots=True)
class Search:
    """What one request has learned of the fleet while it looks for a node."""

    request: InferenceRequest
    trace: Trace
    pin: Pin | None
    tried: set[QueueKey] = field(default_factory=set)
    full: set[QueueKey] = field(default_factory=set)
    lost: Counter[QueueKey] = field(default_factory=Counter)  # since it last waited for news

    @property
    def ticket(self) -> Ticket:
        """This request's place in the fleet, wherever it stands."""
        request = self.request
        return Ticket(request.id, OWNER, request.arrived, request.demand.needs, self.trace.moves)

    def rank(self) -> tuple[FleetSnapshot, Ranking]:
        """The fleet ranked now, and remembered for the audit."""
        policy = Policy(current(ScoringWeights), current(EliminationPolicy))
        fleet = mark_idle(get_fleet().snapshot(), policy)
        ranking = rank(fleet, self.request.demand, policy, self.pin)
        self.trace.ranked(ranking)
        return fleet, ranking

    def remember(self, target: Target) -> None:
        """A node that failed is not asked again, nor one whose queue was full; one lost twice waits for news."""
        failure = self.trace.failure
        if isinstance(failure, UpstreamFailed):
            self.tried |= {target.queue, QueueKey(self.trace.node_id, self.trace.served_model)}
        elif isinstance(failure, SlotRefused) and failure.full:
            self.full.add(target.queue)
        elif isinstance(failure, SlotRefused):
            self.lost[target.queue] += 1

    def best(self, ranking: Ranking) -> Target | None:
        """The best that was neither tried nor found full, nor is lost again and again."""
        for scored in ranking.ranked:
            queue = QueueKey(scored.node, scored.model)
            if queue not in self.tried and queue not in self.full and self.lost[queue] < 2:
                return Target(scored, queue, self.ticket)
        return None


async def targets(request: InferenceRequest, trace: Trace, make_room: MakeRoom, fetch: Fetch) -> AsyncIterator[Target]:
    """Targets, best first, each ranked afresh; ends when all that could serve were tried. Raises Problem."""
    pin = await get_fleet().pinned(request.session) if request.session else None
    search = Search(request, trace, pin)
    while trace.tried <= current(FailurePolicy).max_retries:
        accepting()
        fleet, ranking = search.rank()
        if ranking.outcome == UNKNOWN_MODEL and await fetch(search.ticket, trace):
            fleet, ranking = search.rank()
        target = search.best(ranking) or await _otherwise(search, fleet, ranking, make_room)
        if target is None:
            return
        yield target
        search.remember(target)


async def _otherwise(search: Search, fleet: FleetSnapshot, ranking: Ranking, make_room: MakeRoom) -> Target | None:
    """Nothing left to try: done, refused, or held until something changes."""
    if search.tried:
        return None
    if search.full:
        raise refused("queue_full", "every queue that could take this request is full")
    if ranking.outcome in PROBLEMS:
        raise PROBLEMS[ranking.outcome](search.request, fleet)
    if not any(n.enrolment == "approved" for n in fleet.nodes):
        raise refused("hold_expired", NO_NODES)
    return await _held(search, make_room)


async def _held(search: Search, make_room: MakeRoom) -> Target | None:
    """Wait for a node: ranked again every two seconds and on news, up to the request's whole budget."""
    policy, trace, fleet = current(QueuePolicy), search.trace, get_fleet()
    await hold(search.ticket, search.request)
    try:
        while True:
            seen, ranking = search.rank()
            if target := search.best(ranking):
                return target
            if (left := policy.hold_seconds - trace.held_s) <= 0:
                raise refused("hold_expired", expired(search.request, ranking))
            await _waited(trace, seen, make_room, min(policy.hold_retry, left))
            search.lost.clear()
    except BaseException:
        await fleet.leave(search.request.id)
        raise


async def hold(ticket: Ticket, request: InferenceRequest) -> None:
    """From now on it is among those that are held; Problem if there are too many."""
    if not await get_fleet().hold(ticket, request.demand.models, current(QueuePolicy).max_held):
        raise refused("queue_full", "too many requests are already waiting for a node")


async def _waited(trace: Trace, fleet: FleetSnapshot, make_room: MakeRoom, seconds: float) -> None:
    """Have room made if that helps, then sleep until there is news; the wait counts, however it ends."""
    began = time.perf_counter()
    try:
        await make_room(fleet, trace)
        await get_fleet().news(trace.id, seconds)
    finally:
        trace.held_s += time.perf_counter() - began


def refused(outcome: str, message: str) -> Problem:
    """503 with Retry-After."""
    return Problem(outcome, 503, message, retry_after=current(QueuePolicy).retry_after)


def expired(request: InferenceRequest, ranking: Ranking | None) -> str:
    """Why nobody could serve it, in words: which nodes were out, and for what."""
    rows = ranking.eliminated if ranking else ()
    why = "; ".join(f"{named(e.node)}: {e.reason.replace('_', ' ')}" for e in rows[:4])
    return f"no node can serve '{request.asked}' now ({why})" if why else f"no node can serve '{request.asked}' now"


def _invalid(request: InferenceRequest, fleet: FleetSnapshot) -> Problem:
    """A need that nobody who has the model can ever meet: the model's own lack, else the engines'."""
    demand, nodes = request.demand, [n for n in fleet.nodes if n.enrolment == "approved"]
    unmet_by = [unmet(n, model, demand.needs) for model in demand.models for n in nodes if n.has(model)]
    lack = sorted(NEEDS[need] for need in frozenset.intersection(*unmet_by) if need in NEEDS)
    if lack:
        return Problem("invalid", 400, f"{request.asked} does not support {', '.join(lack)}")
    there = f"no node that has {request.asked} serves {request.path} as this request needs it"
    return Problem("invalid", 400, f"{there}; the path is served by {servers(request.path)}")


NEEDS = {"vision": "images", "tools": "tools", "embedding": "embeddings"}
PROBLEMS: dict[str, Callable[[InferenceRequest, FleetSnapshot], Problem]] = {
    "unknown_model": lambda r, _: Problem("unknown_model", 404, r.asked),  # worded by the dialect
    "invalid": _invalid,
}
