"""What the nodes' list shows, without the HTML around it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import strip_tags

from nodes import cells
from nodes.core.values import FleetSnapshot, Memory, NodeSnapshot, QueueDepth, QueueKey, ResidentModel
from nodes.sight import Sight, see

NODE = NodeSnapshot("studio", "studio", memory=Memory(192.0, 60.0), last_seen=1000.0)
SIGHT = Sight(NODE, 0, 0, 1003.0)


def seen(**known: object) -> Sight:
    return replace(SIGHT, node=replace(NODE, **known))


def test_the_state_stands_with_its_trouble() -> None:
    shown = cells.state_label(seen(reachable=False, trouble="connection refused"))
    assert "state-unreachable" in shown and "connection refused" in shown


def test_a_node_without_a_router_is_not_seen() -> None:
    assert strip_tags(cells.state_label(None)) == "not seen"


def test_the_bar_tells_others_from_models() -> None:
    bar = cells.memory_bar(seen(resident={"m": ResidentModel("m", 90.0)}))
    assert "others 42 GB · models 90 GB · free 60 GB" in bar and strip_tags(bar) == "60 of 192 GB free"


def test_pressure_is_said_beside_the_bar() -> None:
    assert strip_tags(cells.memory_bar(seen(memory=Memory(32.0, 1.5, "critical")))) == "1.5 of 32 GB free · critical"


@pytest.mark.parametrize("memory", [Memory(), Memory(total_gb=64.0), Memory(available_gb=3.0)])
def test_memory_that_nobody_reports_is_unknown(memory: Memory) -> None:
    assert strip_tags(cells.memory_bar(seen(memory=memory))) == "unknown"


def test_models_larger_than_what_is_used_do_not_break_the_bar() -> None:
    assert "others 0.0 GB · models 132 GB" in cells.memory_bar(seen(resident={"m": ResidentModel("m", 900.0)}))


def test_a_model_stands_with_its_size() -> None:
    models = {"a": ResidentModel("a:7b", 4.7), "b": ResidentModel("b:1b")}
    assert strip_tags(cells.model_chips(seen(resident=models))) == "a:7b · 4.7 GBb:1b"


def test_what_an_engine_calls_its_models_is_escaped() -> None:
    assert "<script>" not in cells.model_chips(seen(resident={"x": ResidentModel("<script>")}))


@pytest.mark.parametrize(
    ("running", "waiting", "text"), [(0, 0, "idle"), (2, 0, "2 running"), (2, 3, "2 running3 waiting")]
)
def test_running_and_waiting_are_told_apart(running: int, waiting: int, text: str) -> None:
    assert strip_tags(cells.queue_text(replace(SIGHT, running=running, waiting=waiting))) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s ago"), (3.9, "3 s ago"), (119, "119 s ago"), (120, "2 min ago"), (7200, "2 h ago"), (200000, "2 d ago")],
)
def test_a_span_stands_in_its_largest_whole_unit(seconds: float, text: str) -> None:
    assert cells.ago(seconds) == text


def test_a_node_that_never_spoke_was_seen_never() -> None:
    assert cells.last_seen(seen(last_seen=0.0)) == "never"


@pytest.mark.parametrize(
    ("revoked", "days", "text"),
    [(False, None, "in force"), (False, 1, "in force"), (False, -1, "expired"), (True, 1, "revoked")],
)
def test_a_grant_is_in_force_until_it_expires_or_is_revoked(revoked: bool, days: int | None, text: str) -> None:
    expires = timezone.now() + timedelta(days=days) if days else None
    assert strip_tags(cells.grant_label(revoked, expires)) == text


def test_a_sight_counts_the_queues_of_its_node_alone() -> None:
    queues = {QueueKey("studio", "a"): QueueDepth(2, 1), QueueKey("mini", "a"): QueueDepth(5, 5)}
    sight = see(FleetSnapshot(1003.0, (NODE,), queues), "studio")
    assert sight and (sight.running, sight.waiting) == (2, 1)
