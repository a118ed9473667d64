"""Every parameter that the core reads changes what it answers."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from nodes.core.values import Memory, NodeSnapshot, Pin
from routing.core.parameters import EliminationPolicy, JobPolicy, QueuePolicy, ScoringWeights
from routing.core.prewarm import plan_prewarm
from routing.core.ranking import Policy, rank
from routing.core.rebalance import plan_moves
from routing.core.request import Demand
from routing.core.slots import slots
from tests.routing.core.factories import MODEL, NOW, fleet, learning, loaded, node, queue, took

PIN = Pin(MODEL, "a", NOW)


@dataclass(frozen=True)
class Trial:
    """A node, what is around it, and a value of one parameter that is not its default."""

    parameter: str
    value: Any
    of: NodeSnapshot
    depth: int = 0
    pin: Pin | None = None
    p75_ms: float | None = None


def answer(trial: Trial, policy: Policy) -> object:
    latency = {} if trial.p75_ms is None else took("a", trial.p75_ms, samples=5)
    peer = node("peer", bandwidth_gbps=200.0)
    snapshot = fleet(trial.of, peer, queues=queue("a", trial.depth), latency=latency)
    ranking = rank(snapshot, Demand((MODEL,), 1000), policy, trial.pin)
    return ranking.outcome, [(s.node, dict(s.signals)) for s in ranking.ranked], ranking.eliminated


HOT = node(resident=loaded(context=4096), bandwidth_gbps=100.0)
WARM = node(unloaded_at={MODEL: NOW - 60})
CRITICAL = Memory(available_gb=100.0, pressure="critical")
WEIGHTS = [
    Trial("model_hot", 40.0, HOT),
    Trial("model_warm", 40.0, WARM),
    Trial("model_cold", 40.0, node()),
    Trial("warm_seconds", 30.0, WARM),
    Trial("memory_fit", 40.0, node()),
    Trial("queue_max", 10.0, HOT, depth=9),
    Trial("queue_per", 5.0, HOT, depth=1),
    Trial("queue_by_bandwidth", True, HOT, depth=1),
    Trial("wait_max", 1.0, HOT, depth=1, p75_ms=90_000),
    Trial("wait_seconds_per_point", 20.0, HOT, depth=1, p75_ms=90_000),
    Trial("wait_min_samples", 6, HOT, depth=1, p75_ms=90_000),
    Trial("role_max", 50.0, node()),
    Trial("role_large_gb", 5.0, HOT),
    Trial("role_small_gb", 15.0, HOT),
    Trial("availability_max", 20.0, node(capacity=learning())),
    Trial("context_max", 30.0, HOT),
    Trial("session_max", 30.0, HOT, pin=PIN),
    Trial("session_seconds", 10.0, HOT, pin=replace(PIN, at=NOW - 60)),
]
ELIMINATION = [
    Trial("pressure_spares_resident", True, node(memory=CRITICAL, resident=loaded())),
    Trial("fit_counts_idle", True, node(free=2.0, resident=loaded("idle:1b", 20.0, idle=True))),
    Trial("min_availability", 0.6, node(capacity=learning(availability=0.5))),
    Trial("bootstrap_days", 30.0, node(capacity=learning(observed_days=20))),
    Trial("busy_cpu_seconds", 60.0, node(capacity=learning(cpu_over_85_seconds=90))),
]


@pytest.mark.parametrize("trial", WEIGHTS, ids=lambda t: t.parameter)
def test_each_weight_changes_a_ranking(trial: Trial) -> None:
    changed = Policy(weights=ScoringWeights(**{trial.parameter: trial.value}))
    assert answer(trial, changed) != answer(trial, Policy())


@pytest.mark.parametrize("trial", ELIMINATION, ids=lambda t: t.parameter)
def test_each_rule_of_elimination_changes_a_ranking(trial: Trial) -> None:
    changed = Policy(elimination=EliminationPolicy(**{trial.parameter: trial.value}))
    assert answer(trial, changed) != answer(trial, Policy())


def test_no_parameter_of_scoring_or_elimination_is_left_out() -> None:
    declared = [f.name for group in (ScoringWeights, EliminationPolicy) for f in fields(group)]
    assert [trial.parameter for trial in WEIGHTS + ELIMINATION] == declared


DEEP = fleet(
    node("deep", resident=loaded()), node("lacks", capacity=learning(availability=0.7)), queues=queue("deep", 1, 4)
)
RELIEF = fleet(node("deep", resident=loaded()), node("free", resident=loaded()), queues=queue("deep", 1, 4))
ROOMY = node(free=20.0, engine_parallel=99)


def loads(jobs: JobPolicy) -> object:
    return plan_prewarm(DEEP, Policy(), jobs, QueuePolicy())


def moves(jobs: JobPolicy) -> object:
    return plan_moves(RELIEF, Policy(), jobs, QueuePolicy())


def slots_of_roomy(queues: QueuePolicy) -> object:
    return slots(ROOMY, MODEL, fleet(ROOMY), queues)


PLANS: list[tuple[Callable[[Any], object], Any]] = [
    (loads, JobPolicy(prewarm_threshold=6)),
    (loads, JobPolicy(prewarm_min_availability=0.8)),
    (moves, JobPolicy(rebalance_threshold=5)),
    (moves, JobPolicy(rebalance_max=1)),
    (slots_of_roomy, QueuePolicy(kv_gb=4.0)),
    (slots_of_roomy, QueuePolicy(max_slots=2)),
]


@pytest.mark.parametrize(("plan", "changed"), PLANS)
def test_each_parameter_of_jobs_and_slots_changes_a_plan(plan: Callable[[Any], object], changed: Any) -> None:
    assert plan(changed) != plan(type(changed)())
