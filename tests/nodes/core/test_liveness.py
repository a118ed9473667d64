"""Status from silence, and the one word an operator sees."""

import pytest

from nodes.core.liveness import aged, state, status_of
from nodes.core.parameters import Liveness
from nodes.core.values import NodeSnapshot
from tests.nodes.parts import NOW

LIMITS = Liveness()


@pytest.mark.parametrize(
    ("silence", "status"),
    [(0, "online"), (15, "online"), (15.1, "degraded"), (30, "degraded"), (30.1, "offline"), (-5, "online")],
)
def test_silence_decides_the_status(silence: float, status: str) -> None:
    assert status_of(NodeSnapshot("a", last_seen=NOW - silence), NOW, LIMITS) == status


def test_a_node_that_was_never_heard_and_cant_be_reached_is_not_called_offline() -> None:
    assert status_of(NodeSnapshot("a", reachable=False), NOW, LIMITS) == "degraded"


def test_a_reachable_engine_whose_agent_was_never_heard_is_offline() -> None:
    assert status_of(NodeSnapshot("a", reachable=True), NOW, LIMITS) == "offline"


def test_a_node_whose_status_stays_is_the_same_object() -> None:
    node = NodeSnapshot("a", last_seen=NOW)
    assert aged(node, NOW, LIMITS) is node


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({}, "online"),
        ({"status": "degraded"}, "degraded"),
        ({"status": "degraded", "reachable": False}, "unreachable"),
        ({"status": "offline", "reachable": False}, "offline"),
        ({"status": "offline", "draining": True}, "draining"),
        ({"paused": True, "draining": True}, "paused"),
        ({"enrolment": "pending", "paused": True}, "pending"),
    ],
)
def test_the_first_true_word_is_shown(facts: dict[str, object], word: str) -> None:
    assert state(NodeSnapshot("a", **facts)) == word  # type: ignore[arg-type]
