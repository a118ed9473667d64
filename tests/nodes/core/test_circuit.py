"""When a node is suspended for a model, and how it comes back."""

from dataclasses import replace

from nodes.core.circuit import (
    Circuit,
    CircuitPolicy,
    admits,
    after_end,
    after_failure,
    after_start,
    state,
)
from nodes.lib.parameter import parameters_of

POLICY = CircuitPolicy()


def failed_at(*times: float, policy: CircuitPolicy = POLICY) -> Circuit:
    circuit = Circuit()
    for at in times:
        circuit = after_failure(circuit, at, policy)
    return circuit


OPENED_AT_2 = failed_at(0, 1, 2)


def test_two_failures_leave_it_closed():
    assert state(failed_at(0, 1), 1, POLICY) == "closed"


def test_three_failures_within_the_window_open_it():
    assert state(failed_at(0, 10, 29.9), 29.9, POLICY) == "open"


def test_a_failure_as_old_as_the_window_no_longer_counts():
    assert state(failed_at(0, 10, 30), 30, POLICY) == "closed"


def test_a_stall_opens_it_at_once():
    assert state(after_failure(Circuit(), 5, POLICY, stalled=True), 5, POLICY) == "open"


def test_an_open_circuit_admits_nobody():
    assert not admits(OPENED_AT_2, 31.9, POLICY)


def test_it_is_half_open_once_its_time_is_over():
    assert state(OPENED_AT_2, 32, POLICY) == "half_open"


def test_a_half_open_circuit_admits_a_trial():
    assert admits(OPENED_AT_2, 32, POLICY)


def test_a_half_open_circuit_admits_no_second_trial():
    assert not admits(after_start(OPENED_AT_2, "first"), 32, POLICY)


def test_a_trial_that_ends_without_a_verdict_lets_another_try():
    assert admits(after_end(after_start(OPENED_AT_2, "first"), "first"), 32, POLICY)


def test_the_end_of_another_ticket_does_not_end_the_trial():
    assert not admits(after_end(after_start(OPENED_AT_2, "first"), "other"), 32, POLICY)


def test_the_failure_of_a_trial_reopens_it_at_once():
    assert state(after_failure(after_start(OPENED_AT_2, "first"), 40, POLICY), 69.9, POLICY) == "open"


def test_a_reopened_circuit_has_its_full_time_again():
    assert state(after_failure(after_start(OPENED_AT_2, "first"), 40, POLICY), 70, POLICY) == "half_open"


def test_late_failures_do_not_prolong_an_open_circuit():
    assert state(after_failure(OPENED_AT_2, 20, POLICY), 32, POLICY) == "half_open"


def test_a_clock_that_was_set_back_does_not_keep_it_open():
    assert state(OPENED_AT_2, -3600, POLICY) == "half_open"


def test_a_start_at_a_closed_circuit_is_no_trial():
    assert after_start(failed_at(0), "first").trial == ""


def test_the_number_of_failures_is_the_operators():
    assert state(failed_at(0, policy=replace(POLICY, failures=1)), 0, POLICY) == "open"


def test_the_window_is_the_operators():
    assert state(failed_at(0, 10, 30, policy=replace(POLICY, window=31)), 30, POLICY) == "open"


def test_the_open_time_is_the_operators():
    assert state(OPENED_AT_2, 3, replace(POLICY, open_seconds=1)) == "half_open"


def test_its_parameters_are_declared():
    assert [p.environment for p in parameters_of(CircuitPolicy)] == [
        "FLEET_CIRCUIT_FAILURES",
        "FLEET_CIRCUIT_WINDOW",
        "FLEET_CIRCUIT_OPEN_SECONDS",
    ]
