"""Finding decisions among many in the admin."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from routing import decision_list, keys
from tests.routing.records import here, record

pytestmark = pytest.mark.django_db
DECISIONS = "/admin/routing/routingdecision/"


@pytest.fixture
def browser() -> Client:
    """A browser that a superuser signed in with."""
    client = here()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def found(browser: Client, **query: str) -> list[str]:
    """The ids on the first page, newest first."""
    return [row.pk for row in browser.get(DECISIONS, query).context_data["cl"].result_list]


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ({"node": "studio"}, {"node": "studio"}),
        ({"model": "m:7b"}, {"requested_model": "m:7b"}),
        ({"model": "m:7b"}, {"served_model": "m:7b"}),
        ({"key": "laptop"}, {"key": "laptop"}),
        ({"outcome": "timed_out"}, {"outcome": "timed_out"}),
        ({"outcome": "running"}, {"outcome": None}),
        ({"dialect": "openai"}, {"dialect": "openai"}),
        ({"period": "60"}, {"at": timezone.now().timestamp()}),
        ({"at_from_0": "2024-01-01", "at_from_1": "10:00:00"}, {"at": 1704103200.0}),
        ({"at_from_0": "2024-01-01"}, {"at": 1704103200.0}),
        ({"q": "M:7b"}, {"requested_model": "m:7b"}),
        ({"q": "laptop"}, {"key": "laptop"}),
    ],
)
def test_a_filter_finds_what_it_names_alone(browser, query, columns):
    record()
    wanted = record(**columns)
    assert found(browser, **query) == [wanted]


def test_filters_narrow_each_other(browser):
    record(node="studio", requested_model="a:1b")
    wanted = record(node="studio", requested_model="b:1b")
    assert found(browser, node="studio", model="b:1b") == [wanted]


@pytest.mark.parametrize(
    "query",
    [{"period": "zz"}, {"at_from_0": "x", "at_from_1": "y"}, {"at_to_0": "2024-13-99"}, {"p": "zz"}, {"q": "  "}],
)
def test_a_filter_that_means_nothing_filters_nothing(browser, query):
    everything = [record()]
    assert found(browser, **query) == everything


def test_a_range_ends_where_it_says(browser):
    record(at=timezone.now().timestamp())
    assert len(found(browser, at_to_0="2024-01-01", at_to_1="00:00:00")) == 0


@pytest.mark.parametrize("query", [{"node": "<gone>"}, {"model": "gone:1b"}, {"key": "gone"}])
def test_what_the_fleet_offers_no_more_still_filters(browser, query):
    record()
    assert found(browser, **query) == []


def test_keys_are_offered_to_filter_by(browser):
    keys.create("laptop")
    assert "?key=laptop" in browser.get(DECISIONS).content.decode()


def test_a_list_counts_no_further_than_it_reaches(browser, monkeypatch):
    monkeypatch.setattr(decision_list, "MOST", 2)
    for _ in range(4):
        record()
    shown = browser.get(DECISIONS)
    assert shown.context_data["cl"].result_count == 2 and "the newest 2" in shown.content.decode()


def test_nothing_counts_the_whole_table(browser):
    record()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        browser.get(DECISIONS)
    counting = [q["sql"] for q in queries if "COUNT(" in q["sql"] and "routingdecision" in q["sql"]]
    assert counting and all("LIMIT 10001" in sql for sql in counting)


def test_a_page_reads_the_candidates_of_its_own_rows_once(browser):
    for _ in range(5):
        record(candidates=[{"node": "mini", "model": "m", "score": 1, "signals": {"model_warmth": 50}}])
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(DECISIONS).content.decode().count("model warmth +50.0") == 5
    assert len([q for q in queries if '"candidates"' in q["sql"]]) == 1


def test_old_decisions_are_beyond_a_period(browser):
    record(at=(timezone.now() - timedelta(hours=2)).timestamp())
    assert found(browser, period="60") == []
