"""Rows as the table keeps them."""

from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from nodes.fleet.owner import OWNER
from routing import ledger
from routing.models import RoutingDecision
from tests.routing.records import new_id, record, row

pytestmark = pytest.mark.django_db


def kept(column: str, value: object) -> object:
    """What the table gives back for a value."""
    return getattr(RoutingDecision.objects.get(id=record(**{column: value})), column)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("stream", True),
        ("score", 106.96),
        ("score", None),
        ("status", 200),
        ("outcome", None),
        ("reason", "two\nlines, ümlaut"),
        ("tags", ["a", "b"]),
        ("candidates", [{"node": "studio", "signals": {"model_warmth": 50}}]),
        ("eliminated_counts", {"offline": 3}),
        ("prompt_tokens", None),
    ],
)
def test_a_column_comes_back_as_it_went_in(column, value):
    assert kept(column, value) == value


def test_epoch_seconds_are_a_moment_in_utc():
    assert kept("at", 1_700_000_000.25) == datetime(2023, 11, 14, 22, 13, 20, 250_000, tzinfo=UTC)


def test_an_aware_datetime_is_a_moment_too():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert kept("at", moment) == moment


def test_a_column_that_was_not_given_has_its_default():
    assert RoutingDecision.objects.get(id=record()).attempts == []


def test_a_row_knows_the_process_that_wrote_it():
    assert RoutingDecision.objects.get(id=record()).process == OWNER


def test_a_text_that_is_none_is_empty():
    assert kept("node", None) == ""


def test_a_model_name_of_any_length_is_cut_to_what_the_column_holds():
    assert kept("requested_model", "x" * 10_000) == "x" * 255


def test_what_no_database_takes_in_a_text_is_replaced():
    assert kept("requested_model", "a\0b\ud800c") == "a\ufffdb?c"


def test_a_count_that_no_column_holds_is_not_known():
    assert kept("completion_tokens", 10**30) is None


def test_mappings_and_sets_among_the_inputs_are_kept():
    assert kept("candidates", [MappingProxyType({"needs": frozenset({"tools"})})]) == [{"needs": ["tools"]}]


def test_a_second_write_completes_the_row():
    decision = new_id()
    ledger.write([row(decision, outcome=None)])
    ledger.write([row(decision, outcome="completed")])
    assert list(RoutingDecision.objects.values_list("id", "outcome")) == [(decision, "completed")]


def test_a_batch_is_one_transaction_of_one_statement(django_assert_num_queries):
    with django_assert_num_queries(3):  # savepoint, insert, release
        ledger.write([row(new_id()) for _ in range(100)])


def test_a_row_that_can_not_be_written_is_counted():
    assert ledger.write([row(new_id()), row(new_id(), stream=None)]) == 1
