import pytest

from nodes.core.values import FleetSnapshot, QueueKey
from routing.core.parameters import JobPolicy, QueuePolicy
from routing.core.ranking import Policy
from routing.core.rebalance import Move, plan_moves
from tests.routing.core.factories import MODEL, OTHER, disk, fleet, loaded, node, queue

DEEP, FREE = node("deep", resident=loaded()), node("free", resident=loaded())


def plan(snapshot: FleetSnapshot, jobs: JobPolicy | None = None) -> list[Move]:
    return plan_moves(snapshot, Policy(), jobs or JobPolicy(), QueuePolicy())


def counts(snapshot: FleetSnapshot) -> list[tuple[str, str, int]]:
    return [(m.source.node, m.target.node, m.count) for m in plan(snapshot)]


@pytest.mark.parametrize(("waiting", "moved"), [(3, []), (4, [2]), (5, [2]), (6, [3]), (20, [3])])
def test_half_of_four_or_more_waiting_move_and_never_more_than_three(waiting: int, moved: list[int]) -> None:
    assert [m.count for m in plan(fleet(DEEP, FREE, queues=queue("deep", 1, waiting)))] == moved


def test_running_requests_do_not_make_a_queue_overloaded() -> None:
    assert plan(fleet(DEEP, FREE, queues=queue("deep", 8, 3))) == []


def test_no_move_makes_a_cold_load() -> None:
    assert plan(fleet(DEEP, node("cold"), queues=queue("deep", 1, 9))) == []


def test_no_move_goes_to_a_node_that_can_not_serve() -> None:
    assert plan(fleet(DEEP, node("b", resident=loaded(), draining=True), queues=queue("deep", 1, 9))) == []


@pytest.mark.parametrize(("there", "moves"), [(1, 1), (4, 1), (5, 0), (9, 0)])
def test_without_a_free_slot_the_target_must_stay_below_the_source(there: int, moves: int) -> None:
    snapshot = fleet(DEEP, FREE, queues=queue("deep", 1, 10) | queue("free", there))  # after: there + 3 < 11 - 3
    assert len(plan(snapshot)) == moves


def test_a_free_slot_is_enough() -> None:
    four = node("free", resident=loaded(), parallel=4)
    assert counts(fleet(DEEP, four, queues=queue("deep", 0, 4) | queue("free", 3))) == [("deep", "free", 2)]


def test_the_best_ranked_of_the_targets_is_taken() -> None:
    fast = node("fast", resident=loaded(), bandwidth_gbps=800.0)
    slow = node("slow", resident=loaded(), bandwidth_gbps=80.0)
    assert counts(fleet(DEEP, slow, fast, queues=queue("deep", 1, 4))) == [("deep", "fast", 2)]


def test_a_target_that_would_be_no_better_off_is_passed_over() -> None:
    fast = node("fast", resident=loaded(), bandwidth_gbps=800.0)
    snapshot = fleet(DEEP, fast, FREE, queues=queue("deep", 1, 4) | queue("fast", 1))
    assert counts(snapshot) == [("deep", "free", 2)]


def test_the_deepest_queue_comes_first_and_three_a_cycle_are_all() -> None:
    deeper = node("deeper", on_disk=disk(OTHER), resident=loaded(OTHER))
    free = node("free", on_disk=disk() | disk(OTHER), resident=loaded() | loaded(OTHER))
    queues = queue("deep", 1, 4) | queue("deeper", 1, 5, model=OTHER)
    assert counts(fleet(DEEP, deeper, free, queues=queues)) == [("deeper", "free", 2), ("deep", "free", 1)]


def test_a_plan_counts_its_own_earlier_moves() -> None:
    deeper = node("deeper", resident=loaded())
    queues = queue("deep", 1, 4) | queue("deeper", 1, 5)
    moves = plan(fleet(DEEP, deeper, FREE, queues=queues), JobPolicy(rebalance_max=9))
    assert [(m.source.node, m.count) for m in moves] == [("deeper", 2)]  # then free has 2, deep would keep 3


def test_a_move_says_what_its_target_is_known_not_to_do() -> None:
    chats = node("b", resident=loaded(), on_disk=disk(capabilities=frozenset({"completion", "tools"})), version="0.1.9")
    [move] = plan(fleet(DEEP, chats, queues=queue("deep", 1, 4)))
    assert {"vision", "embedding", "/v1/completions"} <= move.unmet
    assert move.unmet.isdisjoint({"tools", "/v1/chat/completions"})


def test_a_target_that_says_nothing_may_do_everything() -> None:
    [move] = plan(fleet(DEEP, FREE, queues=queue("deep", 1, 4)))
    assert move == Move(QueueKey("deep", MODEL), QueueKey("free", MODEL), 2, frozenset())


@pytest.mark.parametrize("jobs", [JobPolicy(rebalance_threshold=5), JobPolicy(rebalance_max=0)])
def test_threshold_and_cap_are_parameters(jobs: JobPolicy) -> None:
    assert plan(fleet(DEEP, FREE, queues=queue("deep", 1, 4)), jobs) == []
