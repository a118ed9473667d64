"""What is remembered of queues that failed."""

from nodes.core.circuit import CircuitPolicy
from nodes.fleet.circuits import NONE, Circuits
from tests.nodes.fleet.factories import MINI, STUDIO, Clock

POLICY = CircuitPolicy(failures=3, window=30.0, open_seconds=30.0)


def circuits(clock: Clock) -> Circuits:
    return Circuits(clock, lambda: POLICY)


def test_a_queue_that_failed_too_seldom_costs_a_snapshot_nothing() -> None:
    failed = circuits(clock := Clock())
    failed.failed(STUDIO, stalled=False)
    assert failed.unhealthy(clock.now) is NONE


def test_failures_that_no_longer_count_are_forgotten() -> None:
    failed = circuits(clock := Clock())
    failed.failed(STUDIO, stalled=False)
    clock.advance(POLICY.window)
    failed.failed(MINI, stalled=False)
    assert list(failed._failing) == [MINI]


def test_after_a_success_failures_count_anew() -> None:
    failed = circuits(Clock())
    failed.failed(STUDIO, stalled=True)
    failed.succeeded(STUDIO)
    assert [failed.failed(STUDIO, stalled=False) for _ in range(3)] == [False, False, True]


def test_a_success_at_a_closed_circuit_takes_no_failure_back() -> None:
    failed = circuits(Clock())
    for _ in range(2):
        failed.failed(STUDIO, stalled=False)
    failed.succeeded(STUDIO)
    assert failed.failed(STUDIO, stalled=False)
