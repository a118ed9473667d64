"""Which nodes take requests, and which changes free some."""

from dataclasses import replace

import pytest

from nodes.core.serving import is_there, may_free_requests, serves
from nodes.core.values import Capacity, DiskModel, Memory, NodeSnapshot, ResidentModel

NODE = NodeSnapshot("studio")


def test_an_approved_node_that_is_online_serves():
    assert serves(NODE)


def test_a_degraded_node_still_serves():
    assert serves(replace(NODE, status="degraded"))


@pytest.mark.parametrize("change", [{"status": "degraded"}, {"paused": True}, {"draining": True}])
def test_a_node_that_may_be_asked_is_there_even_if_it_takes_no_requests(change):
    assert is_there(replace(NODE, **change))


@pytest.mark.parametrize("change", [{"enrolment": "pending"}, {"status": "offline"}, {"reachable": False}])
def test_a_node_that_can_not_be_asked_is_not_there(change):
    assert not is_there(replace(NODE, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"enrolment": "pending"},
        {"status": "offline"},
        {"reachable": False},
        {"paused": True},
        {"draining": True},
    ],
)
def test_a_node_that_is_out_does_not_serve(change):
    assert not serves(replace(NODE, **change))


def test_a_new_node_may_free_requests():
    assert may_free_requests(None, NODE)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "degraded"},
        {"enrolment": "pending"},
        {"reachable": False},
        {"paused": True},
        {"draining": True},
        {"memory": Memory(64, 32)},
        {"granted_gb": 24.0},
        {"resident": {"a:1b": ResidentModel("a:1b")}},
        {"on_disk": {"a:1b": DiskModel("a:1b")}},
        {"capacity": Capacity(learning=True)},
        {"parallel": 2},
        {"engine_parallel": 4},
    ],
)
def test_a_change_that_decides_may_free_requests(change):
    assert may_free_requests(NODE, replace(NODE, **change))


@pytest.mark.parametrize(
    ("after", "frees"),
    [
        (Memory(64, 30.4), False),
        (Memory(64, 30.5), True),
        (Memory(64, 20.0), False),
        (Memory(64, 30.0, "warn"), True),
        (Memory(64, None), True),
    ],
)
def test_memory_frees_requests_where_it_rises_noticeably_or_is_pressed_otherwise(after, frees):
    assert may_free_requests(replace(NODE, memory=Memory(64, 30.0)), replace(NODE, memory=after)) == frees


def test_another_heartbeat_of_the_same_frees_nobody():
    assert not may_free_requests(NODE, replace(NODE, last_seen=5.0, trouble="slow"))
