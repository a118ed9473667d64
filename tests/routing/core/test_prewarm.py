import pytest

from nodes.core.values import FleetSnapshot, Memory
from routing.core.parameters import JobPolicy, QueuePolicy
from routing.core.prewarm import Load, plan_prewarm
from routing.core.ranking import Policy
from tests.routing.core.factories import MODEL, OTHER, disk, fleet, learning, loaded, node, queue

BUSY = node("busy", resident=loaded())


def plan(snapshot: FleetSnapshot, jobs: JobPolicy | None = None, at_work: tuple[Load, ...] = ()) -> list[Load]:
    return plan_prewarm(snapshot, Policy(), jobs or JobPolicy(), QueuePolicy(), at_work)


@pytest.mark.parametrize(("running", "waiting", "loads"), [(1, 1, 0), (1, 2, 1), (3, 0, 1), (0, 3, 1), (9, 9, 1)])
def test_a_queue_of_three_running_plus_waiting_is_deep(running: int, waiting: int, loads: int) -> None:
    assert len(plan(fleet(BUSY, node("b"), queues=queue("busy", running, waiting)))) == loads


def test_the_model_is_loaded_on_the_best_ranked_other_node_that_lacks_it() -> None:
    others = (node("tight", free=10.0), node("roomy"))
    assert plan(fleet(BUSY, *others, queues=queue("busy", 3))) == [Load("roomy", MODEL, False)]


def test_the_busy_node_itself_is_no_target_even_if_the_model_is_not_loaded_there_yet() -> None:
    assert plan(fleet(node("busy"), queues=queue("busy", 1, 4))) == []


def test_another_node_with_the_model_and_a_free_slot_is_enough() -> None:
    assert plan(fleet(BUSY, node("b", resident=loaded()), node("c"), queues=queue("busy", 3))) == []


def test_another_node_with_the_model_but_no_free_slot_is_not_enough() -> None:
    snapshot = fleet(BUSY, node("b", resident=loaded()), node("c"), queues=queue("busy", 3) | queue("b", 1))
    assert plan(snapshot) == [Load("c", MODEL, False)]


def test_a_node_with_the_model_that_can_not_serve_is_not_enough() -> None:
    snapshot = fleet(BUSY, node("b", resident=loaded(), paused=True), node("c"), queues=queue("busy", 3))
    assert plan(snapshot) == [Load("c", MODEL, False)]


def test_two_deep_queues_of_one_model_are_one_load() -> None:
    other = node("b", resident=loaded())
    snapshot = fleet(BUSY, other, node("c"), node("d"), queues=queue("busy", 3) | queue("b", 4))
    assert len(plan(snapshot)) == 1


@pytest.mark.parametrize(
    ("load", "loads"),
    [(Load("b", MODEL, False), 0), (Load("busy", MODEL, False), 1), (Load("b", OTHER, False), 1)],
)
def test_a_load_of_the_model_at_work_on_another_node_is_waited_for(load: Load, loads: int) -> None:
    assert len(plan(fleet(BUSY, node("b"), node("c"), queues=queue("busy", 3)), at_work=(load,))) == loads


def test_memory_is_promised_once() -> None:
    both = disk() | disk(OTHER)
    busy = node("busy", on_disk=both, resident=loaded() | loaded(OTHER))
    snapshot = fleet(busy, node("b", free=15.0, on_disk=both), queues=queue("busy", 3) | queue("busy", 4, model=OTHER))
    assert plan(snapshot) == [Load("b", OTHER, False)]


def test_a_model_that_does_not_fit_is_not_loaded() -> None:
    assert plan(fleet(BUSY, node("b", free=9.0), queues=queue("busy", 3))) == []


def test_where_memory_is_unknown_it_may_be_loaded() -> None:
    assert plan(fleet(BUSY, node("b", memory=Memory()), queues=queue("busy", 3))) == [Load("b", MODEL, False)]


@pytest.mark.parametrize(("availability", "loads"), [(0.59, 0), (0.60, 1)])
def test_a_machine_that_its_owner_may_want_is_left_alone(availability: float, loads: int) -> None:
    other = node("b", capacity=learning(availability=availability))
    assert len(plan(fleet(BUSY, other, queues=queue("busy", 3)))) == loads


def test_engines_that_can_not_load_on_demand_are_left_alone() -> None:
    assert plan(fleet(BUSY, node("b", engine="openai"), queues=queue("busy", 3))) == []


def test_an_embedding_model_is_said_to_be_one() -> None:
    embeds = disk(capabilities=frozenset({"embedding"}))
    assert plan(fleet(BUSY, node("b", on_disk=embeds), queues=queue("busy", 3))) == [Load("b", MODEL, True)]


def test_the_threshold_is_a_parameter() -> None:
    assert plan(fleet(BUSY, node("b"), queues=queue("busy", 3)), JobPolicy(prewarm_threshold=4)) == []


def test_the_least_availability_is_a_parameter() -> None:
    other = node("b", capacity=learning(availability=0.5))
    jobs = JobPolicy(prewarm_min_availability=0.5)
    assert len(plan(fleet(BUSY, other, queues=queue("busy", 3)), jobs)) == 1
