"""What node cards show of pre-warm and rebalance."""

import pytest

from fleetsite.dashboards.happenings import Happenings
from nodes.core.values import QueueKey

LOAD = {"node": "tower", "model": "acme:7b"}
MOVE = {"source": ["studio", "acme:7b"], "target": ["tower", "acme:7b"], "count": 2}
STUDIO, TOWER = QueueKey("studio", "acme:7b"), QueueKey("tower", "acme:7b")


class Clock:
    """A time that tests set."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_load_shows_from_its_begin_to_its_end(clock):
    happenings, seen = Happenings(clock), []
    for topic in ("load_began", "load_ended"):
        happenings.hear(topic, LOAD)
        seen.append(happenings.loading)
    assert seen == [{TOWER}, set()]


def test_the_end_of_a_load_that_nobody_saw_begin_is_harmless(clock):
    happenings = Happenings(clock)
    happenings.hear("load_ended", LOAD)
    assert not happenings.loading


def test_moved_requests_came_to_one_queue_and_left_another(clock):
    happenings = Happenings(clock)
    happenings.hear("moved", MOVE)
    assert happenings.moved() == {TOWER: 2, STUDIO: -2}


def test_a_move_is_forgotten_after_a_minute(clock):
    happenings = Happenings(clock)
    happenings.hear("moved", MOVE)
    clock.now += 60
    assert happenings.moved() == {}


def test_what_others_broadcast_is_passed_over(clock):
    happenings = Happenings(clock)
    happenings.hear("weather", {"sun": True})
    assert not happenings.loading
