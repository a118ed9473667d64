"""What a node's card and a decision's line show."""

from datetime import UTC, datetime

import pytest

from fleetsite.dashboards.presenters import Scene, cards, line, short, stored_line, winner
from nodes.core.values import Capacity, Latency, Memory, QueueDepth, QueueKey
from tests.routing.core.factories import MODEL, NOW, disk, fleet, loaded, node, queue

STUDIO = QueueKey("studio", MODEL)
ROW = {
    "id": "1",
    "at": datetime.fromtimestamp(NOW, UTC),
    "node": "studio",
    "served_model": MODEL,
    "outcome": "completed",
}
WON = {"node": "studio", "model": MODEL, "signals": {"model_warmth": 50.0}, "inputs": {"residency": "hot"}}


def card(*, scene=None, state=None, **facts):
    one = node("studio", **facts)
    return cards(Scene(fleet(one, **(state or {})), **(scene or {})))["studio"]


def test_cards_stand_in_the_order_of_enrolment():
    assert [*cards(Scene(fleet(node("tower"), node("mini"))))] == ["tower", "mini"]


@pytest.mark.parametrize(
    ("facts", "state", "tone"),
    [
        ({}, "online", "good"),
        ({"paused": True}, "paused", "warn"),
        ({"draining": True}, "draining", "warn"),
        ({"enrolment": "pending"}, "pending", "warn"),
        ({"status": "degraded"}, "degraded", "warn"),
        ({"status": "offline"}, "offline", "bad"),
        ({"reachable": False}, "unreachable", "bad"),
        ({"capacity": Capacity(learning=True, availability=0.71)}, "online · 0.71 available", "good"),
    ],
)
def test_a_card_says_its_node_s_state_in_a_word_and_a_tone(facts, state, tone):
    shown = card(**facts)
    assert (shown["state"], shown["tone"]) == (state, tone)


def test_a_node_that_is_suspended_for_models_says_for_how_many():
    shown = card(state={"unhealthy": frozenset({STUDIO})})
    assert (shown["state"], shown["tone"]) == ("online, 1 model suspended", "warn")


def test_a_node_that_loads_a_model_says_which():
    shown = card(scene={"loading": frozenset({STUDIO})})
    assert (shown["state"], shown["tone"]) == ("loading acme:7b", "warn")


def test_a_paused_node_is_paused_whatever_it_loads():
    assert card(scene={"loading": frozenset({STUDIO})}, paused=True)["state"] == "paused"


def test_a_node_out_of_reach_says_why():
    assert card(reachable=False, trouble="Nothing listens.")["trouble"] == "Nothing listens."


def test_a_node_that_serves_shows_no_old_trouble():
    assert card(trouble="It was slow.")["trouble"] == ""


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({"free": None}, "Ollama"),
        ({"version": "0.32.2", "bandwidth_gbps": 800.0, "total": 192.0}, "800 GB/s · 192 GB · Ollama 0.32.2"),
        ({"flavour": "llama.cpp", "engine": "openai"}, "llama.cpp"),
        ({"memory": Memory(pressure="critical")}, "Ollama · memory pressure critical"),
    ],
)
def test_the_hardware_line_says_what_is_known_and_no_more(facts, shown):
    assert card(**facts)["hardware"] == shown


def test_memory_is_divided_into_models_others_and_free():
    shown = card(total=100.0, free=30.0, resident=loaded(gb=50.0))["memory"]
    assert shown == {"total": 100.0, "free": 30.0, "models": 50.0, "others": 20.0}


def test_models_larger_than_what_is_used_leave_nothing_for_others():
    shown = card(total=100.0, free=60.0, resident=loaded(gb=50.0))["memory"]
    assert (shown["models"], shown["others"]) == (40.0, 0.0)


@pytest.mark.parametrize("facts", [{"free": None}, {"free": None, "total": 64.0}, {"free": 10.0}])
def test_memory_that_is_not_known_is_not_drawn(facts):
    assert card(**facts)["memory"] is None


def test_models_in_memory_are_hot_the_largest_first():
    resident = loaded("a:1b", 1.0) | loaded("b:latest", 9.0)
    assert [model["name"] for model in card(resident=resident)["hot"]] == ["b", "a:1b"]


def test_a_model_unloaded_a_short_while_ago_is_warm():
    assert card(unloaded_at={MODEL: NOW - 1799})["warm"] == [MODEL]


@pytest.mark.parametrize("facts", [{"unloaded_at": {MODEL: NOW - 1800}}, {"unloaded_at": {MODEL: NOW}, "on_disk": {}}])
def test_a_model_unloaded_long_ago_or_deleted_is_not_warm(facts):
    assert card(**facts)["warm"] == []


def test_what_is_on_disk_only_is_counted():
    assert card(on_disk=disk() | disk("b:1b"), resident=loaded())["on_disk"] == 1


def test_a_queue_shows_who_runs_who_waits_its_slots_and_its_wait():
    state = {"queues": {STUDIO: QueueDepth(1, 3, NOW)}, "latency": {STUDIO: Latency(2000, 10)}}
    row = {"model": MODEL, "running": 1, "slots": 1, "waiting": 3, "wait_s": 8, "moved": 0}
    assert card(state=state, parallel=1)["queues"] == [row]


def test_a_wait_that_nobody_measured_is_unknown():
    assert card(state={"queues": queue("studio", 1, 1)})["queues"][0]["wait_s"] is None


def test_a_queue_says_how_many_were_moved_there():
    state = {"queues": queue("studio", 1, 1)}
    assert card(state=state, scene={"moved": {STUDIO: 2}})["queues"][0]["moved"] == 2


def test_queues_stand_on_the_card_of_their_own_node():
    shown = cards(Scene(fleet(node("a"), node("b"), queues=queue("a", 1) | queue("b", 2))))
    assert [shown[name]["queues"][0]["running"] for name in ("a", "b")] == [1, 2]


def test_latest_goes_without_saying():
    assert (short("qwen:latest"), short("qwen:7b")) == ("qwen", "qwen:7b")


def test_the_winner_is_the_candidate_that_served():
    other = WON | {"node": "tower"}
    assert winner(ROW | {"candidates": [other, WON]}) is WON


def test_a_decision_without_a_node_has_no_winner():
    assert winner(ROW | {"node": "", "candidates": [WON]}) is None


def test_a_line_shows_the_winner_s_signals():
    assert stored_line(ROW | {"candidates": [WON]})["signals"] == {"model_warmth": 50.0}


def test_a_line_has_none_of_the_wide_columns():
    assert "candidates" not in line(ROW | {"candidates": [WON]}, None)
