"""Stages 1 and 2 together: filter, score, sort."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nodes.core.values import FleetSnapshot, Pin
from routing.core.candidates import Candidate, candidates
from routing.core.fallback import turn
from routing.core.filters import sieve
from routing.core.parameters import EliminationPolicy, ScoringWeights
from routing.core.request import Demand
from routing.core.signals import context_of, is_measured, named, points_of, residency, seconds_each

TIE = 1e-9
NEVER = float("-inf")
ROUTE, HOLD, UNKNOWN_MODEL, INVALID = "route", "hold", "unknown_model", "invalid"


@dataclass(frozen=True, slots=True)
class Policy:
    """What decides a ranking beside the fleet and the demand."""

    weights: ScoringWeights = field(default_factory=ScoringWeights)
    elimination: EliminationPolicy = field(default_factory=EliminationPolicy)


class Scored(NamedTuple):
    """A candidate that can serve, with its total and what it is made of."""

    candidate: Candidate
    score: float
    points: tuple[float, ...]
    weights: ScoringWeights

    @property
    def model(self) -> str:
        return self.candidate.model

    @property
    def node(self) -> str:
        return self.candidate.node.id

    @property
    def signals(self) -> Mapping[str, float]:
        """Points by signal; they add up to the score."""
        return named(self.points)

    @property
    def shown(self) -> float:
        """The score as it is shown and kept: without the crumbs of floating point."""
        return round(self.score, 9)

    @property
    def context_overflow(self) -> bool:
        """Is the request larger than the context that the model is loaded with?"""
        context = context_of(self.candidate)
        return context is not None and context < self.candidate.tokens

    @property
    def inputs(self) -> Mapping[str, object]:
        """The numbers that the signals saw, for the audit."""
        return _inputs(self.candidate, self.weights)


class Eliminated(NamedTuple):
    """A node that can't serve this model, and the first reason why."""

    model: str
    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer: `outcome` is route, hold, unknown_model or invalid; `ranked` the order in which to try."""

    outcome: str
    ranked: tuple[Scored, ...]
    eliminated: tuple[Eliminated, ...]


def rank(fleet: FleetSnapshot, demand: Demand, policy: Policy, pin: Pin | None = None) -> Ranking:
    """Every node for every model of the demand: those that can serve, the best first, and why the others can't."""
    models = tuple(dict.fromkeys(demand.models))
    everyone = tuple(c for model in models for c in _candidates(model, fleet, demand, policy, pin))
    survivors, out = sieve(everyone, policy.elimination)
    ranked = tuple(_in_order(score(survivors, policy.weights), models, fleet))
    eliminated = tuple(Eliminated(c.model, c.node.id, reason) for c, reason in out)
    return Ranking(ROUTE if ranked else _without_a_node(everyone), ranked, eliminated)


def score(candidates: Sequence[Candidate], weights: ScoringWeights) -> list[Scored]:
    """Each candidate with its total."""
    rows = zip(candidates, points_of(candidates, weights), strict=True)
    return [Scored(candidate, sum(points), points, weights) for candidate, points in rows]


def _candidates(
    model: str, fleet: FleetSnapshot, demand: Demand, policy: Policy, pin: Pin | None
) -> Iterator[Candidate]:
    count_idle, by_speed = policy.elimination.fit_counts_idle, policy.weights.queue_by_bandwidth
    return candidates(model, demand, fleet, pin, count_idle, by_speed)


def _without_a_node(everyone: Sequence[Candidate]) -> str:
    """What becomes of a request that no node can serve now."""
    approved = [c for c in everyone if c.node.enrolment == "approved"]
    there = [c for c in approved if c.is_there]
    if not approved:
        return HOLD
    if not there:
        return UNKNOWN_MODEL
    return INVALID if all(c.unmet for c in there) else HOLD


def _in_order(scored: Sequence[Scored], models: Sequence[str], fleet: FleetSnapshot) -> Iterator[Scored]:
    """Turn by turn, the best of each first."""
    turns: dict[tuple[bool, int], list[Scored]] = {}
    for s in scored:
        turns.setdefault(turn(s.candidate, models), []).append(s)
    for _, group in sorted(turns.items(), key=lambda t: t[0]):
        for tied in _ties(sorted(group, key=lambda s: -s.score)):
            yield from tied if len(tied) == 1 else _untied(tied, fleet)


def _ties(by_score: Sequence[Scored]) -> Iterator[list[Scored]]:
    """Runs whose scores are as good as their head's."""
    tied = [by_score[0]]
    for scored in by_score[1:]:
        if tied[0].score - scored.score > TIE:
            yield tied
            tied = []
        tied.append(scored)
    yield tied


def _untied(tied: Sequence[Scored], fleet: FleetSnapshot) -> list[Scored]:
    """Fewer requests on the whole node first, then the least recently chosen, then the first enrolled."""
    busy: Counter[str] = Counter()
    for queue, depth in fleet.queues.items():
        busy[queue.node] += depth.total
    return sorted(tied, key=lambda s: (busy[s.node], fleet.chosen_at.get(s.node, NEVER), s.candidate.order))


def _inputs(c: Candidate, w: ScoringWeights) -> dict[str, object]:
    capacity = c.node.capacity
    return {
        "residency": residency(c, w),
        "unloaded_ago_s": c.unloaded_ago,
        "available_gb": c.available_gb,
        "need_gb": c.need_gb,
        "weights_gb": c.weights_gb,
        "depth": c.depth,
        "relative_speed": c.relative_speed,
        "request_s": seconds_each(c, w),
        "request_s_measured": is_measured(c, w),
        "bandwidth_gbps": c.node.bandwidth_gbps,
        "total_gb": c.node.memory.total_gb,
        "availability": capacity.availability if capacity is not None and capacity.learning else None,
        "context": context_of(c),
        "estimated_tokens": c.tokens,
        "session_ago_s": c.session_ago,
    }
