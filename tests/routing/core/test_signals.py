import pytest

from nodes.core.values import Pin
from routing.core.parameters import ScoringWeights
from routing.core.signals import (
    availability_trend,
    context_fit,
    memory_fit,
    model_warmth,
    queue_depth,
    role_affinity,
    session_affinity,
    wait_time,
)
from tests.routing.core.factories import MODEL, NOW, candidate, disk, learning, loaded, node, queue, took

W = ScoringWeights()
HERE = Pin(MODEL, "a", NOW)


def test_a_resident_model_is_hot() -> None:
    assert model_warmth(candidate(node(resident=loaded())), W) == 50


@pytest.mark.parametrize(("ago", "points"), [(0, 30), (1799.9, 30), (1800, 10), (5000, 10), (-5, 30)])
def test_a_model_unloaded_less_than_half_an_hour_ago_is_warm(ago: float, points: float) -> None:
    assert model_warmth(candidate(node(unloaded_at={MODEL: NOW - ago})), W) == points


def test_a_model_on_disk_is_cold() -> None:
    assert model_warmth(candidate(), W) == 10


@pytest.mark.parametrize(
    ("free", "points"),
    [(20.01, 20), (20.0, 15), (15.01, 15), (15.0, 8), (12.01, 8), (12.0, 3), (10.0, 3)],
)
def test_memory_fit_by_ratio(free: float, points: float) -> None:
    assert memory_fit(candidate(node(free=free)), W) == pytest.approx(points, abs=1e-12)


def test_a_resident_model_fits_in_full() -> None:
    assert memory_fit(candidate(node(free=0.0, resident=loaded())), W) == 20


def test_memory_unknown_earns_no_fit() -> None:
    assert memory_fit(candidate(node(free=None)), W) == 0


def test_the_tiers_of_memory_fit_scale_with_its_most() -> None:
    assert memory_fit(candidate(node(free=16.0)), ScoringWeights(memory_fit=40)) == 30


@pytest.mark.parametrize(
    ("running", "waiting", "points"), [(0, 0, 0), (1, 0, -6), (2, 2, -24), (2, 3, -30), (9, 9, -30)]
)
def test_each_request_in_the_queue_costs_six(running: int, waiting: int, points: float) -> None:
    assert queue_depth(candidate(queues=queue("a", running, waiting)), W) == points


@pytest.mark.parametrize(("gbps", "points"), [(400, -6), (100, -24), (50, -30), (10, -30), (800, -3), (10000, -3)])
def test_a_queue_counts_by_relative_speed_by_option(gbps: float, points: float) -> None:
    usual = (node("b", bandwidth_gbps=200.0), node("c", bandwidth_gbps=200.0))
    of = candidate(node(bandwidth_gbps=gbps), others=usual, by_speed=True, queues=queue("a", 2))
    assert queue_depth(of, ScoringWeights(queue_by_bandwidth=True)) == points


def test_a_node_of_unknown_speed_is_of_usual_speed() -> None:
    of = candidate(node(), others=(node("b", bandwidth_gbps=800.0),), by_speed=True, queues=queue("a", 2))
    assert queue_depth(of, ScoringWeights(queue_by_bandwidth=True)) == -12


def test_offline_and_pending_nodes_do_not_set_the_usual_speed() -> None:
    strangers = (
        node("b", bandwidth_gbps=9.0, status="offline"),
        node("c", bandwidth_gbps=9.0, enrolment="pending"),
        node("d", bandwidth_gbps=100.0),
        node("e", bandwidth_gbps=300.0, status="degraded"),
    )
    assert candidate(node(bandwidth_gbps=200.0), others=strangers, by_speed=True).relative_speed == 1.0


@pytest.mark.parametrize(("p75_ms", "points"), [(6800, -2.04), (83_000, -24.9), (83_333.4, -25), (900_000, -25)])
def test_ten_seconds_of_wait_cost_a_point(p75_ms: float, points: float) -> None:
    of = candidate(queues=queue("a", 2, 1), latency=took("a", p75_ms))
    assert wait_time(of, W) == pytest.approx(points, abs=1e-9)


def test_an_empty_queue_has_no_wait() -> None:
    assert wait_time(candidate(latency=took("a", 90_000)), W) == 0


@pytest.mark.parametrize(("samples", "points"), [(4, -1.0), (5, -9.0)])
def test_latency_is_believed_from_five_samples_on(samples: int, points: float) -> None:
    of = candidate(queues=queue("a", 1), latency=took("a", 90_000, samples))
    assert wait_time(of, W) == points


@pytest.mark.parametrize(
    ("gb", "gbps", "seconds"),
    [
        (4.7, 400.0, 100 / 480),  # small: the whole bandwidth
        (40.0, 800.0, 100 / 240),
        (40.0, 20.0, 10.0),  # never below 10 tokens/s
        (40.0, None, 40.0),
        (0.5, None, 1.0),
        (500.0, None, 100.0),  # never below 1 token/s
    ],
)
def test_the_first_requests_are_guessed_from_size_and_bandwidth(gb: float, gbps: float | None, seconds: float) -> None:
    of = candidate(node(on_disk=disk(gb=gb), free=None, bandwidth_gbps=gbps), queues=queue("a", 1))
    assert wait_time(of, W) == pytest.approx(-seconds / 10, abs=1e-12)


@pytest.mark.parametrize(
    ("gb", "gbps", "points"),
    [
        (20.01, 800, 25),
        (20.01, 4000, 25),
        (20.01, 400, 15),
        (20.01, 100, 7.5),
        (20.0, 800, 15),
        (8.0, 400, 9),
        (7.99, 800, 3),
        (7.99, 400, 9),
        (7.99, 100, 13.5),
    ],
)
def test_role_by_bandwidth(gb: float, gbps: float, points: float) -> None:
    of = candidate(node(on_disk=disk(gb=gb), bandwidth_gbps=gbps))
    assert role_affinity(of, W) == pytest.approx(points, abs=1e-12)


@pytest.mark.parametrize(
    ("gb", "total", "points"),
    [
        (21.0, 128.0, 15),
        (21.0, 127.0, 5),
        (21.0, 32.0, 5),
        (21.0, 31.0, 0),
        (21.0, None, 0),
        (7.0, 32.0, 15),
        (7.0, 33.0, 8),
        (7.0, 128.0, 8),
        (7.0, 129.0, 3),
        (7.0, None, 8),
        (10.0, 16.0, 5),
        (10.0, 512.0, 5),
        (10.0, None, 5),
    ],
)
def test_role_by_memory_where_bandwidth_is_unknown(gb: float, total: float | None, points: float) -> None:
    assert role_affinity(candidate(node(on_disk=disk(gb=gb), total=total)), W) == points


def test_the_role_is_that_of_the_weights_not_of_the_resident_size() -> None:
    of = node(on_disk=disk(gb=19.0), resident=loaded(gb=30.0), bandwidth_gbps=800)
    assert role_affinity(candidate(of), W) == 15


def test_role_affinity_scales_with_its_most() -> None:
    of = candidate(node(on_disk=disk(gb=21.0), bandwidth_gbps=800))
    assert role_affinity(of, ScoringWeights(role_max=50)) == 50


@pytest.mark.parametrize(("capacity", "points"), [(None, 0), (learning(availability=0.9), 9), (learning(), 10)])
def test_availability_counts_with_learning_on(capacity: object, points: float) -> None:
    assert availability_trend(candidate(node(capacity=capacity)), W) == points


@pytest.mark.parametrize(
    ("context", "points"),
    [(999, -15), (1000, 3), (1499, 3), (1500, 7.5), (2999, 7.5), (3000, 12), (7999, 12), (8000, 15), (99999, 15)],
)
def test_context_fit_by_ratio(context: int, points: float) -> None:
    of = candidate(node(resident=loaded(context=context)), tokens=1000)
    assert context_fit(of, W) == pytest.approx(points, abs=1e-12)


@pytest.mark.parametrize("of", [node(), node(resident=loaded(context=None))])
def test_an_unknown_context_earns_nothing(of: object) -> None:
    assert context_fit(candidate(of, tokens=1000), W) == 0  # type: ignore[arg-type]


def test_a_request_of_unknown_size_earns_nothing() -> None:
    assert context_fit(candidate(node(resident=loaded(context=4096))), W) == 0


@pytest.mark.parametrize(("depth", "lead"), [(0, 20), (1, 7.3), (2, -2)])
def test_the_conversations_node_leads_its_twin_less_as_its_queue_grows(depth: int, lead: float) -> None:
    of = candidate(node(resident=loaded()), pin=HERE, queues=queue("a", depth))
    assert session_affinity(of, W) + queue_depth(of, W) == pytest.approx(lead, abs=0.05)


@pytest.mark.parametrize("pin", [None, Pin(MODEL, "b", NOW), Pin("other:1b", "a", NOW), Pin(MODEL, "a", NOW - 900.1)])
def test_another_node_another_model_or_a_stale_turn_earns_nothing(pin: Pin | None) -> None:
    assert session_affinity(candidate(node(resident=loaded()), pin=pin), W) == 0


def test_a_turn_counts_for_fifteen_minutes() -> None:
    assert session_affinity(candidate(node(resident=loaded()), pin=Pin(MODEL, "a", NOW - 900)), W) == 20


def test_the_cache_is_gone_with_the_model() -> None:
    assert session_affinity(candidate(node(), pin=HERE), W) == 0
