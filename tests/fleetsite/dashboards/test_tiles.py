"""The six figures."""

from datetime import UTC, datetime

import pytest

from fleetsite.dashboards import tiles
from fleetsite.dashboards.tiles import Ended, Tally, ended
from nodes.core.values import QueueDepth, QueueKey
from tests.routing.core.factories import NOW, fleet


def figures(*requests, since=NOW - 1000, now=NOW, **state):
    tally = Tally(since)
    for one in requests:
        tally.add(one)
    return tally.tiles(fleet(**state), now)


def at(ago=0.0, **facts):
    return Ended(NOW - ago, completed=True, **facts)


def test_requests_are_counted_over_the_last_minute():
    assert figures(*[at(ago=1)] * 6, at(ago=61))["requests"] == 0.1


def test_a_tally_that_began_shortly_ago_divides_by_its_own_time():
    assert figures(*[at()] * 10, since=NOW - 10)["requests"] == 1.0


def test_tokens_are_counted_by_the_second():
    shown = figures(at(tokens_in=600, tokens_out=120))
    assert (shown["tokens_in"], shown["tokens_out"]) == (10.0, 2.0)


def test_what_runs_waits_and_is_held_is_summed_over_the_fleet():
    depths = {QueueKey("a", "m"): QueueDepth(2, 1), QueueKey("b", "m"): QueueDepth(1, 4)}
    shown = figures(queues=depths, held=3)
    assert (shown["running"], shown["waiting"], shown["held"]) == (3, 5, 3)


def test_percentiles_are_of_completed_requests():
    failed = Ended(NOW, completed=False, first_ms=9000.0)
    assert figures(failed, *[at(first_ms=float(ms)) for ms in range(100)])["first_ms"] == [50.0, 95.0]


def test_the_share_answered_from_a_loaded_model_counts_what_went_somewhere():
    shown = figures(at(hot=True), at(hot=True), at(hot=True), at(hot=False), at(hot=None))
    assert (shown["hot"], shown["cold"]) == (0.75, 1)


def test_without_requests_nothing_is_known():
    shown = figures()
    assert (shown["requests"], shown["first_ms"], shown["hot"]) == (0.0, [None, None], None)


def test_what_ended_more_than_five_minutes_ago_is_forgotten():
    assert figures(at(ago=301, total_ms=1.0))["total_ms"] == [None, None]


def test_over_its_bound_it_counts_a_shorter_while(monkeypatch):
    monkeypatch.setattr(tiles, "MOST", 2)
    assert figures(at(ago=30), at(ago=10), at(ago=5), since=NOW - 100)["requests"] == round(2 / 30, 2)


def test_what_is_recalled_counts_as_if_it_had_been_there():
    tally = Tally(NOW)
    tally.add(at())
    tally.recall([at(ago=20), at(ago=10)], NOW - 60)
    assert tally.tiles(fleet(), NOW)["requests"] == 0.05


def test_a_decision_ended_when_its_last_byte_was_sent():
    row = {"at": datetime.fromtimestamp(NOW, UTC), "total_ms": 2500.0, "outcome": "completed"}
    assert ended(row).at == NOW + 2.5


@pytest.mark.parametrize(("residency", "hot"), [("hot", True), ("warm", False), ("cold", False)])
def test_a_decision_knows_whether_its_model_was_loaded(residency, hot):
    won = {"node": "a", "model": "m", "inputs": {"residency": residency}}
    row = {"at": datetime.fromtimestamp(NOW, UTC), "node": "a", "served_model": "m", "candidates": [won]}
    assert ended(row).hot is hot


@pytest.mark.parametrize(
    ("sample", "spread"), [([], [None, None]), ([3.0], [3.0, 3.0]), ([2.0, 1.0], [2.0, 2.0]), ([1.24], [1.2, 1.2])]
)
def test_a_percentile_is_a_value_of_the_sample_to_a_tenth(sample, spread):
    assert figures(*(at(total_ms=ms) for ms in sample))["total_ms"] == spread
