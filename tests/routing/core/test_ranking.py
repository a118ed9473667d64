from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.core.values import NodeSnapshot, Pin, QueueKey
from routing.core.ranking import rank
from routing.core.request import Demand
from tests.routing.core.factories import (
    MODEL,
    NOW,
    OTHER,
    disk,
    fleet,
    learning,
    loaded,
    node,
    order,
    policy,
    queue,
    ranked,
    took,
)

BOTH = disk() | disk(OTHER)
SWAMPED = fleet(node("hot", resident=loaded()), node("cold"), queues=queue("hot", 4, 90), latency=took("hot", 60_000.0))


def nodes_in_order(snapshot: object) -> list[str]:
    return [name for _, name in order(ranked(snapshot))]  # type: ignore[arg-type]


def test_the_highest_total_is_first() -> None:
    assert nodes_in_order(fleet(node("cold"), node("hot", resident=loaded()))) == ["hot", "cold"]


def test_the_total_is_the_sum_of_the_signals() -> None:
    best = ranked(fleet(node(resident=loaded(), bandwidth_gbps=300.0), queues=queue("a", 2, 1))).ranked[0]
    assert best.score == pytest.approx(sum(best.signals.values()), abs=1e-9)


def test_every_node_is_either_ranked_or_eliminated_for_every_model() -> None:
    ranking = ranked(fleet(node("a"), node("b", paused=True), node("c", on_disk={})), MODEL, OTHER)
    pairs = order(ranking) + [(e.model, e.node) for e in ranking.eliminated]
    assert sorted(pairs) == [(m, n) for m in sorted([MODEL, OTHER]) for n in "abc"]


def test_of_equals_the_node_with_fewer_requests_in_all_is_first() -> None:
    assert nodes_in_order(fleet(node("a"), node("b"), queues=queue("a", 1, model=OTHER))) == ["b", "a"]


def test_of_equals_the_least_recently_chosen_is_first() -> None:
    assert nodes_in_order(fleet(node("a"), node("b"), chosen_at={"a": NOW - 1, "b": NOW - 2})) == ["b", "a"]


def test_of_equals_one_that_was_never_chosen_is_first() -> None:
    assert nodes_in_order(fleet(node("a"), node("b"), chosen_at={"a": 0.0})) == ["b", "a"]


def test_of_equals_the_first_enrolled_is_first() -> None:
    assert nodes_in_order(fleet(node("b"), node("a"))) == ["b", "a"]


def test_busier_comes_before_recently_chosen_when_equals_are_told_apart() -> None:
    snapshot = fleet(node("a"), node("b"), queues=queue("a", 1, model=OTHER), chosen_at={"b": NOW})
    assert nodes_in_order(snapshot) == ["b", "a"]


@pytest.mark.parametrize(("apart", "first"), [(5e-10, "b"), (2e-9, "a")])
def test_scores_within_a_billionth_are_equal(apart: float, first: str) -> None:
    snapshot = fleet(
        node("a", capacity=learning(availability=0.5 + apart / 10)),
        node("b", capacity=learning(availability=0.5)),
        chosen_at={"a": NOW},
    )
    assert nodes_in_order(snapshot)[0] == first


def test_a_tie_is_with_the_best_not_from_neighbour_to_neighbour() -> None:
    free = [0.5, 0.5 - 0.8e-10, 0.5 - 1.6e-10]
    machines = [node(name, capacity=learning(availability=a)) for name, a in zip("abc", free, strict=True)]
    assert nodes_in_order(fleet(*machines, chosen_at={"a": 3.0, "b": 2.0})) == ["b", "a", "c"]


def test_the_same_model_asked_twice_is_asked_once() -> None:
    assert order(ranked(fleet(node()), MODEL, MODEL)) == [(MODEL, "a")]


def test_no_model_is_tried_that_was_not_asked_for():
    resident = node("resident", resident=loaded(OTHER), on_disk=disk(OTHER))
    assert order(ranked(fleet(resident, node("cold")))) == [(MODEL, "cold")]


def test_slots_make_no_node_look_faster():
    """Requests that run side by side share one bandwidth: what was measured tells, not their number."""
    one, many = node("one", parallel=1, resident=loaded()), node("many", parallel=8, resident=loaded())
    queues = queue("one", 1) | queue("many", 1)
    first, second = ranked(fleet(one, many, queues=queues)).ranked
    assert first.signals == second.signals


def test_the_score_alone_decides_for_one_model_even_against_a_loaded_one() -> None:
    assert nodes_in_order(SWAMPED) == ["cold", "hot"]


def test_a_loaded_fallback_comes_before_a_primary_that_must_be_loaded() -> None:
    snapshot = fleet(node("a", on_disk=BOTH), node("b", on_disk=BOTH, resident=loaded(OTHER)))
    assert order(ranked(snapshot, MODEL, OTHER))[0] == (OTHER, "b")


def test_of_loaded_models_the_first_in_the_list_comes_first_whatever_its_score() -> None:
    snapshot = fleet(
        node("a", on_disk=BOTH, resident=loaded()), node("b", resident=loaded(OTHER)), queues=queue("a", 9)
    )
    assert order(ranked(snapshot, MODEL, OTHER))[:2] == [(MODEL, "a"), (OTHER, "b")]


def test_of_models_to_load_the_first_in_the_list_comes_first() -> None:
    warm = node("b", on_disk=disk(OTHER), unloaded_at={OTHER: NOW})
    assert order(ranked(fleet(node("a"), warm), MODEL, OTHER)) == [(MODEL, "a"), (OTHER, "b")]


def test_a_list_of_one_model_twice_is_no_list() -> None:
    assert order(ranked(SWAMPED, MODEL, MODEL))[0] == (MODEL, "cold")


SAYS_NO = disk(capabilities=frozenset({"completion"}))
OUTCOMES = [
    ("route", (node(),)),
    ("hold", ()),
    ("hold", (node(enrolment="pending"),)),
    ("hold", (node(paused=True),)),
    ("hold", (node(status="offline"),)),
    ("unknown_model", (node(on_disk={}),)),
    ("unknown_model", (node("a", on_disk={}), node("b", enrolment="pending"))),
    ("hold", (node("a", on_disk={}), node("b", status="offline"))),
    ("invalid", (node(on_disk=SAYS_NO),)),
    ("invalid", (node(on_disk=SAYS_NO, paused=True),)),
    ("hold", (node("a", on_disk=SAYS_NO), node("b", paused=True))),
    ("invalid", (node("a", on_disk=SAYS_NO), node("b", enrolment="pending"))),
    ("invalid", (node("a", on_disk=SAYS_NO), node("b", on_disk={}))),
]


@pytest.mark.parametrize(("outcome", "machines"), OUTCOMES)
def test_outcome(outcome: str, machines: tuple[NodeSnapshot, ...]) -> None:
    assert ranked(fleet(*machines), needs=frozenset({"tools"})).outcome == outcome


def test_a_need_that_one_model_of_the_list_may_meet_is_not_impossible() -> None:
    machine = node(on_disk=SAYS_NO | disk(OTHER), paused=True)
    assert ranked(fleet(machine), MODEL, OTHER, needs=frozenset({"tools"})).outcome == "hold"


@pytest.mark.parametrize(("tokens", "overflows"), [(4096, False), (4097, True)])
def test_a_request_larger_than_the_loaded_context_overflows(tokens: int, overflows: bool) -> None:
    best = ranked(fleet(node(resident=loaded(context=4096))), estimated_tokens=tokens).ranked[0]
    assert best.context_overflow is overflows


def test_what_must_be_loaded_overflows_nothing() -> None:
    assert not ranked(fleet(node()), estimated_tokens=10**6).ranked[0].context_overflow


def test_the_inputs_are_the_numbers_that_were_scored() -> None:
    machine = node(free=50.0, total=64.0, bandwidth_gbps=400.0, unloaded_at={MODEL: NOW - 60})
    snapshot = fleet(machine, queues=queue("a", 1, 1), need_gb={MODEL: 12.0})
    assert ranked(snapshot, estimated_tokens=7).ranked[0].inputs == {
        "residency": "warm",
        "unloaded_ago_s": 60.0,
        "available_gb": 50.0,
        "need_gb": 12.0,
        "weights_gb": 10.0,
        "depth": 2,
        "relative_speed": 1.0,
        "request_s": pytest.approx(100 / 480),
        "request_s_measured": False,
        "bandwidth_gbps": 400.0,
        "total_gb": 64.0,
        "availability": None,
        "context": None,
        "estimated_tokens": 7,
        "session_ago_s": None,
    }


def test_the_pin_of_another_model_does_not_count() -> None:
    snapshot = fleet(node(resident=loaded(), on_disk=BOTH))
    ranking = rank(snapshot, Demand((MODEL,)), policy(), Pin(OTHER, "a", NOW))
    assert ranking.ranked[0].signals["session_affinity"] == 0


def test_queue_keys_of_unknown_nodes_disturb_nothing() -> None:
    assert order(ranked(fleet(node(), queues=queue("gone", 3), unhealthy=frozenset({QueueKey("gone", MODEL)}))))


sizes = st.floats(0.1, 400)


@settings(deadline=None)
@given(
    gb=sizes,
    free_there=sizes,
    free_here=sizes,
    total=st.one_of(st.none(), sizes),
    gbps=st.one_of(st.none(), st.floats(1, 4000)),
    availability=st.one_of(st.none(), st.floats(0.2, 1.0)),
    warm=st.booleans(),
)
def test_loaded_and_empty_beats_idle_and_cold_all_else_equal(
    gb: float,
    free_there: float,
    free_here: float,
    total: float | None,
    gbps: float | None,
    availability: float | None,
    warm: bool,
) -> None:
    equal: dict[str, Any] = {
        "total": total,
        "bandwidth_gbps": gbps,
        "capacity": None if availability is None else learning(availability=availability),
        "on_disk": disk(gb=gb),
    }
    cold = node("cold", free=free_there, unloaded_at={MODEL: NOW} if warm else {}, **equal)
    hot = node("hot", free=free_here, resident=loaded(gb=gb), **equal)
    assert nodes_in_order(fleet(cold, hot))[0] == "hot"
