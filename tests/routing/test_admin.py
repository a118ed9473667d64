"""The admin pages of records, as a superuser sees them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from routing import keys
from routing.models import ApiKey, LatencyHistory, RoutingDecision
from tests.routing.records import here, record

pytestmark = pytest.mark.django_db
DECISIONS = "/admin/routing/routingdecision/"
CANDIDATE = {"node": "mini", "model": "qwen2.5:7b", "score": 55.25, "signals": {"model_warmth": 50, "queue_depth": -6}}


@pytest.fixture
def operator() -> Client:
    """A browser that a superuser signed in with."""
    client = here()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def page(operator: Client, url: str, **parameters: str) -> str:
    return operator.get(url, parameters).content.decode()


def test_decisions_are_listed(operator):
    assert record() in page(operator, DECISIONS)


@pytest.mark.parametrize("words", ["llama3:8b", "studio"])
def test_decisions_are_found_by_model_and_node(operator, words):
    wanted, other = record(node="studio"), record(requested_model="qwen2.5:7b")
    found = page(operator, DECISIONS, q=words)
    assert (wanted in found, other in found) == (True, False)


def test_a_decision_is_found_by_its_id(operator):
    wanted, other = record(), record()
    found = page(operator, DECISIONS, q=wanted)
    assert (f"{wanted}/change" in found, f"{other}/change" in found) == (True, False)


def test_a_decision_shows_each_signal_of_its_candidates(operator):
    shown = page(operator, f"{DECISIONS}{record(candidates=[CANDIDATE])}/change/")
    assert all(text in shown for text in ("<th>model warmth</th>", "<th>queue depth</th>", "<td>55.25</td>"))


def test_a_decision_shows_why_nodes_were_out(operator):
    out = [{"node": "pi", "model": "qwen2.5:7b", "reason": "no_memory"}]
    shown = page(operator, f"{DECISIONS}{record(eliminated=out, eliminated_counts={'no_memory': 30})}/change/")
    assert all(text in shown for text in ("<td>pi</td>", "<td>no_memory</td>", "30 in all"))


def test_what_clients_wrote_is_escaped(operator):
    attempts = [{"node": "pi", "error": "<script>", "ms": 1.5}]
    assert "<td>&lt;script&gt;</td>" in page(operator, f"{DECISIONS}{record(attempts=attempts)}/change/")


@pytest.mark.parametrize("kind", ["routingdecision", "latencyhistory", "apikey"])
def test_nobody_adds_records_by_hand(operator, kind):
    assert operator.get(f"/admin/routing/{kind}/add/").status_code == 403


def test_nobody_deletes_a_decision(operator):
    decision = record()
    operator.post(f"{DECISIONS}{decision}/delete/", {"post": "yes"})
    assert RoutingDecision.objects.filter(id=decision).exists()


def test_latencies_are_listed(operator):
    LatencyHistory.objects.create(node="studio", model="llama3:8b", p75_ms=1200)
    assert "llama3:8b" in page(operator, "/admin/routing/latencyhistory/")


def revoke(client: Client) -> None:
    """Choose every key and revoke it."""
    chosen = list(ApiKey.objects.values_list("pk", flat=True))
    client.post("/admin/routing/apikey/", {"action": "revoke", "_selected_action": chosen})


def test_a_key_is_revoked_from_its_page(operator):
    keys.create("laptop")
    revoke(operator)
    assert keys.load().by_digest == {}


def test_a_user_who_may_only_look_revokes_nothing():
    keys.create("laptop")
    client = here()
    client.force_login(User.objects.create_user("guest", is_staff=True))
    revoke(client)
    assert len(keys.load().by_digest) == 1
