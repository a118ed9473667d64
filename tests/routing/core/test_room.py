from typing import Any

import pytest

from nodes.core.values import FleetSnapshot, Memory, QueueKey, ResidentModel
from routing.core.ranking import Policy, rank
from routing.core.request import Demand
from routing.core.room import Room, mark_idle, plan_room
from tests.routing.core.factories import MODEL, NOW, OTHER, disk, fleet, learning, loaded, node, policy, queue


def idle(gb: float | None = 10.0, **more: Any) -> dict[str, ResidentModel]:
    """Another model in memory, which as far as its node tells nobody uses."""
    return loaded(OTHER, gb, **{"idle": True, **more})


FULL = node(free=2.0, resident=idle())


def room(snapshot: FleetSnapshot, *models: str, last_use: dict[str, float] | None = None) -> Room | None:
    used = {QueueKey("a", model): at for model, at in (last_use or {}).items()}
    return planned(snapshot, Demand(models or (MODEL,)), Policy(), used)


def planned(snapshot: FleetSnapshot, demand: Demand, by: Policy, used: dict[QueueKey, float]) -> Room | None:
    seen = mark_idle(snapshot, by)
    return plan_room(seen, rank(seen, demand, by), demand, by, used)


def resident(**sizes: float) -> dict[str, ResidentModel]:
    return {name: ResidentModel(name, gb, idle=True) for name, gb in sizes.items()}


def test_an_idle_model_in_the_way_is_unloaded() -> None:
    assert room(fleet(FULL)) == Room("a", MODEL, (OTHER,))


def test_nothing_is_unloaded_while_some_node_can_serve() -> None:
    assert room(fleet(FULL, node("b"))) is None


@pytest.mark.parametrize("depth", [(1, 0), (0, 1)])
def test_a_model_that_runs_or_waits_is_not_unloaded(depth: tuple[int, int]) -> None:
    assert room(fleet(FULL, queues=queue("a", *depth, model=OTHER))) is None


def test_a_pinned_model_is_not_unloaded() -> None:
    assert room(fleet(node(free=2.0, resident=idle(pinned=True)))) is None


def test_nothing_is_unloaded_in_vain() -> None:
    assert room(fleet(node(free=2.0, resident=idle(7.0)))) is None


def test_nothing_is_unloaded_under_a_ceiling_that_is_too_low_anyway() -> None:
    assert room(fleet(node(free=2.0, resident=idle(50.0), capacity=learning(ceiling_gb=9.0)))) is None


def test_nothing_is_unloaded_on_a_node_that_is_out_for_another_reason() -> None:
    assert room(fleet(node(free=2.0, resident=idle(), paused=True))) is None


def test_nothing_is_unloaded_on_an_engine_that_can_not_load_on_demand() -> None:
    assert room(fleet(node(free=2.0, resident=idle(), engine="openai"))) is None


def test_the_least_recently_used_goes_first() -> None:
    crowded = node(free=2.0, resident=resident(**{"new:1b": 9.0, "old:1b": 9.0}))
    assert room(fleet(crowded), last_use={"new:1b": NOW, "old:1b": NOW - 60}) == Room("a", MODEL, ("old:1b",))


def test_one_that_was_never_used_goes_before_all() -> None:
    crowded = node(free=2.0, resident=resident(**{"used:1b": 9.0, "never:1b": 9.0}))
    assert room(fleet(crowded), last_use={"used:1b": 0.0}) == Room("a", MODEL, ("never:1b",))


def test_as_many_go_as_are_needed() -> None:
    crowded = node(free=2.0, resident=resident(**{"x:1b": 4.0, "y:1b": 4.0, "z:1b": 4.0}))
    last_use = {"x:1b": 1.0, "y:1b": 2.0, "z:1b": 3.0}
    assert room(fleet(crowded), last_use=last_use) == Room("a", MODEL, ("x:1b", "y:1b"))


def test_one_that_frees_too_little_is_spared_when_the_next_frees_enough() -> None:
    crowded = node(free=2.0, resident=resident(**{"little:1b": 1.0, "much:1b": 9.0}))
    last_use = {"little:1b": 1.0, "much:1b": 2.0}
    assert room(fleet(crowded), last_use=last_use) == Room("a", MODEL, ("much:1b",))


def test_room_is_made_on_the_node_that_would_rank_best() -> None:
    slow = node("slow", free=2.0, resident=idle(), bandwidth_gbps=100.0)
    fast = node("fast", free=2.0, resident=idle(), bandwidth_gbps=800.0)
    assert room(fleet(slow, fast)) == Room("fast", MODEL, (OTHER,))


def test_the_first_model_of_the_list_that_can_be_helped_is_helped() -> None:
    crowded = node(free=2.0, on_disk=disk(gb=90.0) | disk("third:1b", 8.0), resident=idle())
    assert room(fleet(crowded), MODEL, "third:1b") == Room("a", "third:1b", (OTHER,))


def test_a_model_of_unknown_size_frees_nothing_that_could_be_counted_on() -> None:
    assert room(fleet(node(free=2.0, resident=idle(None)))) is None


def test_what_counts_as_free_by_option_already_is_not_in_the_way() -> None:
    counted = policy(fit_counts_idle=True)
    assert planned(fleet(FULL), Demand((MODEL,)), counted, {}) is None


def test_a_model_is_not_idle_while_something_of_ours_runs_or_waits_for_it() -> None:
    both = node(resident=loaded(idle=True) | idle())
    [marked] = mark_idle(fleet(both, queues=queue("a", 1, model=OTHER)), policy(fit_counts_idle=True)).nodes
    assert {name: m.idle for name, m in marked.resident.items()} == {MODEL: True, OTHER: False}


def test_where_nobody_asks_for_idle_models_none_is_marked() -> None:
    snapshot = fleet(node(resident=loaded() | idle()), queues=queue("a", 1, model=OTHER))
    assert mark_idle(snapshot, policy()) is snapshot


def test_a_model_that_its_agent_sees_in_use_is_not_unloaded() -> None:
    assert room(fleet(node(free=2.0, resident=idle(idle=False)))) is None


def test_without_a_full_node_nothing_is_ranked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, demand = fleet(node(paused=True, resident=idle())), Demand((MODEL,))
    ranking = rank(paused, demand, Policy())
    monkeypatch.setattr("routing.core.room.rank", None)
    assert plan_room(paused, ranking, demand, Policy(), {}) is None


def test_the_reports_of_the_fleet_are_read_once_for_all_full_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, demand, read = fleet(*(node(name, free=2.0, resident=idle()) for name in "abc")), Demand((MODEL,)), []
    monkeypatch.setattr("routing.core.room.known_elsewhere", lambda model, fleet: read.append(model))
    plan_room(nodes, rank(nodes, demand, Policy()), demand, Policy(), {})
    assert read == [MODEL]


def test_only_full_nodes_are_ranked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("routing.core.room.rank", lambda fleet, *more: seen.append(fleet.nodes) or rank(fleet, *more))
    room(fleet(node("paused", paused=True, resident=idle()), FULL))
    assert [[n.id for n in nodes] for nodes in seen] == [["a"]]


def test_a_node_without_memory_figures_is_never_held_for_memory() -> None:
    assert room(fleet(node(memory=Memory(), resident=idle()))) is None
