from collections.abc import Iterator
from typing import Any, cast

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from nodes import changes, roster
from nodes.core.values import FleetSnapshot, NodeSnapshot, ResidentModel
from nodes.fleet import use_fleet
from nodes.fleet.port import FleetState
from nodes.lib.digest import digest
from nodes.models import EnrolmentToken, Node

pytestmark = pytest.mark.django_db
NODES = "/admin/nodes/node/"


class StillFleet:
    """A fleet that always looks the same."""

    def __init__(self, *nodes: NodeSnapshot) -> None:
        self.seen = FleetSnapshot(0.0, nodes)

    def snapshot(self) -> FleetSnapshot:
        return self.seen


@pytest.fixture(autouse=True)
def _no_fleet() -> Iterator[None]:
    use_fleet(None)
    yield
    use_fleet(None)


@pytest.fixture
def browser(admin_client: Client) -> Client:
    """The admin's browser."""
    admin_client.defaults["HTTP_HOST"] = "localhost"
    return admin_client


def form(**fields: str) -> dict[str, str]:
    """A filled-in node."""
    return {"name": "studio", "url": "studio:11434", "engine": "ollama", "enrolment": "approved"} | fields


def act(browser: Client, action: str, **more: str) -> Any:
    """Apply an action to every node."""
    selected = list(Node.objects.values_list("id", flat=True))
    return browser.post(NODES, {"action": action, "_selected_action": selected} | more, follow=True)


def logged() -> list[str]:
    """What the log says, oldest first."""
    return [entry.get_change_message() for entry in LogEntry.objects.order_by("id")]


def test_a_node_added_here_gets_its_id_and_its_address_in_one_form(browser: Client) -> None:
    assert browser.post(f"{NODES}add/", form()).status_code == 302
    assert (Node.objects.get().id, Node.objects.get().url) == ("studio", "http://studio:11434")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"url": "http://studio/v1"}, "has a path"),
        ({"name": "a/b"}, "be a node&#x27;s name"),
        ({"memory_gb": "0"}, "is not above 0"),
        ({"url": "http://taken/"}, "Another node has this URL."),
    ],
)
def test_a_bad_node_is_refused_with_the_reason(browser: Client, fields: dict[str, str], told: str) -> None:
    roster.add("other", "http://taken")
    assert told in browser.post(f"{NODES}add/", form(**fields)).content.decode()


def test_a_renamed_node_keeps_its_id(browser: Client) -> None:
    roster.add("studio", "http://a")
    browser.post(f"{NODES}studio/change/", form(name="workshop"))
    assert (Node.objects.get().id, Node.objects.get().name) == ("studio", "workshop")


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [
        ("approve", "enrolment", "approved"),
        ("pause", "paused", True),
        ("drain", "draining", True),
        ("resume", "paused", False),
    ],
)
def test_an_action_decides_for_every_selected_node(browser: Client, action: str, field: str, value: object) -> None:
    roster.add("a", "http://a")
    roster.add("b", "http://b")
    Node.objects.update(enrolment="pending", paused=action == "resume")
    act(browser, action)
    assert set(Node.objects.values_list(field, flat=True)) == {value}


def test_every_change_is_told_to_the_servers(browser: Client) -> None:
    browser.post(f"{NODES}add/", form())
    browser.post(f"{NODES}studio/change/", form(note="upstairs"))
    act(browser, "pause")
    browser.post(f"{NODES}studio/delete/", {"post": "yes"})
    assert changes.count() == 4


def test_nodes_deleted_together_are_told_to_the_servers(browser: Client) -> None:
    roster.add("a", "http://a")
    browser.post(NODES, {"action": "delete_selected", "_selected_action": ["a"], "post": "yes"})
    assert (Node.objects.count(), changes.count()) == (0, 2)


def test_the_list_shows_what_the_router_sees(browser: Client) -> None:
    roster.add("studio", "http://a")
    seen = NodeSnapshot("studio", reachable=False, trouble="connection refused", resident={"m": ResidentModel("m:7b")})
    use_fleet(cast(FleetState, StillFleet(seen)))
    page = browser.get(NODES).content.decode()
    assert all(words in page for words in ("unreachable", "connection refused", "m:7b"))


def test_the_list_shows_without_a_router_what_the_database_knows(browser: Client) -> None:
    roster.add("studio", "http://a")
    assert "http://a" in browser.get(NODES).content.decode()


def test_a_token_shows_as_the_beginning_of_its_digest(browser: Client) -> None:
    EnrolmentToken.objects.create(name="first", digest="0123456789abcdef")
    page = browser.get("/admin/nodes/enrolmenttoken/").content.decode()
    assert "01234567…" in page
    assert "89abcdef" not in page


def test_a_credential_shows_as_the_beginning_of_its_digest(browser: Client) -> None:
    roster.add("studio", "http://a")
    roster.new_credential("studio")
    page = browser.get(f"{NODES}studio/change/").content.decode()
    assert f"{Node.objects.get().credential[:8]}…" in page
    assert Node.objects.get().credential not in page


def test_an_action_stands_in_the_log_with_before_and_after(browser: Client) -> None:
    roster.add("studio", "http://a")
    act(browser, "pause")
    act(browser, "resume")
    assert logged() == ["paused: no → yes", "paused: yes → no"]


def test_a_change_stands_in_the_log_with_before_and_after(browser: Client) -> None:
    roster.add("studio", "http://studio:11434")
    browser.post(f"{NODES}studio/change/", form(note="upstairs", memory_gb="64", url="studio"))
    assert logged() == ["note: nothing → upstairs; memory_gb: nothing → 64"]


def test_what_was_added_and_deleted_stands_in_the_log(browser: Client) -> None:
    browser.post(f"{NODES}add/", form())
    browser.post(f"{NODES}studio/delete/", {"post": "yes"})
    added, deleted = logged()
    assert added.startswith("Added: name studio; url http://studio:11434")
    assert deleted.startswith("Deleted; it was: name studio; url http://studio:11434")


def test_a_new_credential_is_asked_for_first(browser: Client) -> None:
    roster.add("studio", "http://a")
    assert "shown once" in act(browser, "new_credential").content.decode()
    assert Node.objects.get().credential == ""


def test_a_new_credential_is_shown_in_the_answer_and_nowhere_else(browser: Client) -> None:
    roster.add("studio", "http://a")
    answer = act(browser, "new_credential", chosen="new")
    secret = answer.context_data["secret"]
    assert secret in answer.content.decode() and Node.objects.get().credential == digest(secret)
    assert secret not in browser.get(f"{NODES}studio/change/").content.decode()
    assert logged() == ["agent's credential: none → a new one"]


def test_two_nodes_get_no_credential_together(browser: Client) -> None:
    roster.add("a", "http://a")
    roster.add("b", "http://b")
    assert "Choose one node" in act(browser, "new_credential", chosen="new").content.decode()


def test_looking_at_the_question_of_a_node_changes_nothing(browser: Client) -> None:
    roster.add("studio", "http://a")
    assert browser.get(f"{NODES}studio/credential/").status_code == 200
    assert Node.objects.get().credential == ""


def test_a_node_that_is_gone_is_not_asked_about(browser: Client) -> None:
    assert browser.get(f"{NODES}gone/credential/").status_code == 404


def test_a_page_with_a_secret_is_kept_by_no_cache(browser: Client) -> None:
    roster.add("studio", "http://a")
    assert "no-store" in act(browser, "new_credential", chosen="new")["Cache-Control"]


TOKENS = "/admin/nodes/enrolmenttoken/"


def test_a_token_is_shown_once_when_it_is_made(browser: Client) -> None:
    answer = browser.post(f"{TOKENS}add/", {"name": "attic", "uses_left": "2"})
    secret, token = answer.context_data["secret"], EnrolmentToken.objects.get()
    assert secret in answer.content.decode() and (token.digest, token.uses_left) == (digest(secret), 2)
    assert secret not in browser.get(f"{TOKENS}{token.pk}/change/").content.decode() + "".join(logged())


def test_a_token_that_ended_before_it_began_is_refused(browser: Client) -> None:
    past = {"name": "attic", "expires_at_0": "2020-01-01", "expires_at_1": "00:00:00"}
    assert "This is past" in browser.post(f"{TOKENS}add/", past).content.decode()


def test_a_token_is_revoked_by_an_action(browser: Client) -> None:
    token = EnrolmentToken.objects.create(name="first", digest="0123456789abcdef")
    browser.post(TOKENS, {"action": "revoke", "_selected_action": [token.pk]})
    assert EnrolmentToken.objects.get().revoked and logged() == ["revoked: no → yes"]
