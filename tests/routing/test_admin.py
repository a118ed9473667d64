"""The admin pages of records, as a superuser sees them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from nodes import changes
from nodes.lib.digest import digest
from routing import keys
from routing.models import ApiKey, LatencyHistory, RoutingDecision
from tests.routing.records import here, record

pytestmark = pytest.mark.django_db
DECISIONS = "/admin/routing/routingdecision/"
KEYS = "/admin/routing/apikey/"
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
    assert all(text in shown for text in ("model warmth +50.0", "queue depth -6.0", "<b>55.3</b>"))


def test_a_decision_shows_why_nodes_were_out(operator):
    out = [{"node": "pi", "model": "qwen2.5:7b", "reason": "no_memory"}]
    shown = page(operator, f"{DECISIONS}{record(eliminated=out, eliminated_counts={'no_memory': 30})}/change/")
    assert all(text in shown for text in ("pi · qwen2.5:7b", "no memory", '<td class="right">30</td>'))


def test_what_clients_wrote_is_escaped(operator):
    attempts = [{"node": "pi", "error": "<script>", "ms": 1.5}]
    assert "&lt;script&gt;</td>" in page(operator, f"{DECISIONS}{record(attempts=attempts)}/change/")


@pytest.mark.parametrize("kind", ["routingdecision", "latencyhistory"])
def test_nobody_adds_records_by_hand(operator, kind):
    assert operator.get(f"/admin/routing/{kind}/add/").status_code == 403


def test_nobody_deletes_a_decision(operator):
    decision = record()
    operator.post(f"{DECISIONS}{decision}/delete/", {"post": "yes"})
    assert RoutingDecision.objects.filter(id=decision).exists()


def test_latencies_are_listed(operator):
    LatencyHistory.objects.create(node="studio", model="llama3:8b", p75_ms=1200)
    assert "llama3:8b" in page(operator, "/admin/routing/latencyhistory/")


def test_latencies_show_their_percentiles(operator):
    durations = [0.1, 0.2, 0.3, 4.0]
    LatencyHistory.objects.create(node="studio", model="m:7b", durations=durations, samples=4, p75_ms=4000)
    shown = page(operator, "/admin/routing/latencyhistory/")
    assert all(text in shown for text in ("300 ms", "4.00 s"))


def test_a_latency_without_samples_is_shown_all_the_same(operator):
    row = LatencyHistory.objects.create(node="studio", model="m:7b")
    assert operator.get(f"/admin/routing/latencyhistory/{row.pk}/change/").status_code == 200


def logged() -> list[str]:
    """What the log says, oldest first."""
    return [entry.get_change_message() for entry in LogEntry.objects.order_by("id")]


def make_key(operator: Client, **fields: str):
    """Fill in the form of a new key."""
    return operator.post(f"{KEYS}add/", {"name": "laptop"} | fields)


def test_a_key_is_shown_once_when_it_is_made(operator):
    answer = make_key(operator, models="Qwen2.5:7B, llama3.3:70b", rpm="60")
    secret, key = answer.context_data["secret"], ApiKey.objects.get()
    assert secret in answer.content.decode() and list(keys.load().by_digest) == [digest(secret)]
    assert (key.models, key.rpm) == (["llama3.3:70b", "qwen2.5:7b"], 60)
    later = page(operator, KEYS) + page(operator, f"{KEYS}{key.pk}/change/") + "".join(logged())
    assert secret not in later


def test_what_a_key_may_do_stands_in_the_log(operator):
    make_key(operator, models="qwen2.5:7b")
    assert logged() == ["Added: name laptop; models qwen2.5:7b."]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": ""}, "This field is required"),
        ({"rpm": "0"}, "greater than or equal to 1"),
        ({"max_in_flight": "x"}, "Enter a whole number"),
        ({"expires_at_0": "2020-01-01", "expires_at_1": "00:00:00"}, "This is past"),
        ({"name": "taken"}, "already"),
    ],
)
def test_a_bad_key_is_refused_with_the_reason(operator, fields, told):
    keys.create("taken")
    assert told in make_key(operator, **fields).content.decode()
    assert ApiKey.objects.count() == 1


def test_what_a_key_may_do_is_changed_for_the_servers_and_logged(operator):
    make_key(operator)
    key, before = ApiKey.objects.get(), changes.count()
    operator.post(f"{KEYS}{key.pk}/change/", {"models": "m:7b", "rpm": "5"})
    assert [(k.models, k.rpm) for k in keys.load().by_digest.values()] == [({"m:7b"}, 5)]
    assert changes.count() == before + 1 and logged()[-1] == "models: nothing → m:7b; rpm: nothing → 5"


def test_the_name_and_digest_of_a_key_stay(operator):
    keys.create("laptop")
    before = ApiKey.objects.values().get()
    operator.post(f"{KEYS}{before['id']}/change/", {"name": "other", "digest": "x", "models": ""})
    assert ApiKey.objects.values().get() == before


def test_nobody_deletes_a_key(operator):
    keys.create("laptop")
    assert operator.post(f"{KEYS}{ApiKey.objects.get().pk}/delete/", {"post": "yes"}).status_code == 403


def revoke(client: Client) -> None:
    """Choose every key and revoke it."""
    chosen = list(ApiKey.objects.values_list("pk", flat=True))
    client.post(KEYS, {"action": "revoke", "_selected_action": chosen})


def test_a_key_is_revoked_from_its_page(operator):
    keys.create("laptop")
    revoke(operator)
    assert (keys.load().by_digest, logged()) == ({}, ["in force → revoked"])


def test_a_user_who_may_only_look_revokes_nothing():
    keys.create("laptop")
    client = here()
    client.force_login(User.objects.create_user("guest", is_staff=True))
    revoke(client)
    assert len(keys.load().by_digest) == 1
