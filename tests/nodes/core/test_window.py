"""The percentile of the last 500 durations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.core.values import Latency
from nodes.core.window import Window, percentile


@pytest.mark.parametrize(
    ("durations", "p75_ms"),
    [
        ([2.0], 2000),
        ([1.0, 2.0], 2000),
        ([1.0, 2.0, 3.0], 3000),
        ([1.0, 2.0, 3.0, 4.0], 4000),
        ([5.0, 1.0, 4.0, 2.0, 3.0], 4000),
    ],
)
def test_the_percentile_is_the_value_at_three_quarters_of_the_sorted_sample(durations, p75_ms):
    assert Window(durations).latency() == Latency(p75_ms, len(durations))


def test_the_501st_duration_pushes_out_the_first():
    window = Window(float(second) for second in range(500))
    window.add(1000.0)
    assert window.durations() == (*(float(second) for second in range(1, 500)), 1000.0)


def test_of_more_than_500_given_the_last_500_count():
    assert Window([9.0] * 500 + [1.0] * 500).latency() == Latency(1000, 500)


def test_durations_come_back_oldest_first():
    assert Window([3.0, 1.0, 2.0]).durations() == (3.0, 1.0, 2.0)


@given(st.lists(st.floats(0, 1e4, allow_nan=False), min_size=1, max_size=1200))
def test_adding_one_by_one_equals_sorting_the_last_500(durations):
    window = Window()
    for seconds in durations:
        window.add(seconds)
    last = sorted(durations[-500:])
    assert window.latency() == Latency(last[int(0.75 * len(last))] * 1000, len(last))


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 3.0), (0.95, 4.0), (1.0, 4.0)])
def test_any_percentile_is_found_the_same_way(share, value):
    assert percentile([1.0, 2.0, 3.0, 4.0], share) == value
