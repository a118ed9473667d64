"""The admin as a whole: who may do what, and that nothing comes from elsewhere."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.staticfiles import finders
from django.test import Client

from nodes import roster
from nodes.fleet import use_fleet
from nodes.models import EnrolmentToken, Node
from routing import keys
from routing.models import ApiKey, LatencyHistory, ModelAlias
from tests.nodes.test_admin import StillFleet
from tests.routing.records import here, record

pytestmark = pytest.mark.django_db
LISTS = (
    "nodes/node",
    "nodes/enrolmenttoken",
    "routing/routingdecision",
    "routing/latencyhistory",
    "routing/apikey",
    "routing/modelalias",
    "auth/user",
    "auth/group",
    "admin/logentry",
)


def of_group(name: str) -> Client:
    """A browser that a member of this group alone signed in with."""
    user = User.objects.create_user(name, is_staff=True)
    user.groups.add(Group.objects.get(name=name))
    client = here()
    client.force_login(user)
    return client


@pytest.fixture
def auditor() -> Client:
    return of_group("auditor")


@pytest.fixture
def operator() -> Client:
    return of_group("operator")


@pytest.fixture
def admin() -> Client:
    client = here()
    client.force_login(User.objects.create_superuser("admin"))
    return client


@pytest.fixture
def rows() -> dict[str, Any]:
    """One row of each list, by list."""
    keys.create("laptop")
    return {
        "nodes/node": roster.add("studio", "http://studio").id,
        "nodes/enrolmenttoken": EnrolmentToken.objects.create(name="attic", digest="0123456789").pk,
        "routing/routingdecision": record(),
        "routing/latencyhistory": LatencyHistory.objects.create(node="studio", model="m:7b", durations=[1.0]).pk,
        "routing/apikey": ApiKey.objects.get().pk,
        "routing/modelalias": ModelAlias.objects.create(name="fast", target="m:7b").pk,
        "auth/user": User.objects.create_user("guest").pk,
        "auth/group": Group.objects.get(name="operator").pk,
    }


def pages(rows: dict[str, Any]) -> list[str]:
    """Every list, and one page of each."""
    lists = [f"/admin/{name}/" for name in LISTS]
    return ["/admin/", *lists, *(f"/admin/{name}/{row}/change/" for name, row in rows.items())]


def act(client: Client, name: str, action: str, row: Any, **more: str) -> int:
    """The status of an action on one row."""
    return client.post(f"/admin/{name}/", {"action": action, "_selected_action": [row]} | more).status_code


@pytest.mark.parametrize("group", ["auditor", "operator"])
def test_each_group_sees_everything(group: str, rows: dict[str, Any]) -> None:
    client = of_group(group)
    assert {page: client.get(page).status_code for page in pages(rows)} == dict.fromkeys(pages(rows), 200)


def test_an_auditor_changes_nothing_by_a_form(auditor: Client, rows: dict[str, Any]) -> None:
    changed = {
        name: auditor.post(f"/admin/{name}/{row}/change/", {"name": "x"}).status_code for name, row in rows.items()
    }
    assert set(changed.values()) == {403}


def test_an_auditor_adds_and_deletes_nothing(auditor: Client, rows: dict[str, Any]) -> None:
    added = {auditor.post(f"/admin/{name}/add/", {"name": "x"}).status_code for name in LISTS}
    deleted = {auditor.post(f"/admin/{name}/{row}/delete/", {"post": "yes"}).status_code for name, row in rows.items()}
    assert added | deleted == {403}


@pytest.mark.parametrize("action", ["approve", "pause", "drain", "resume", "prewarm", "unload", "new_credential"])
def test_an_auditor_acts_on_no_node(auditor: Client, rows: dict[str, Any], action: str) -> None:
    before = Node.objects.values().get()
    act(auditor, "nodes/node", action, "studio", chosen="x")
    assert (Node.objects.values().get(), LogEntry.objects.count()) == (before, 0)


def test_an_auditor_revokes_nothing(auditor: Client, rows: dict[str, Any]) -> None:
    act(auditor, "routing/apikey", "revoke", rows["routing/apikey"])
    act(auditor, "nodes/enrolmenttoken", "revoke", rows["nodes/enrolmenttoken"])
    assert ApiKey.objects.get().revoked_at is None and not EnrolmentToken.objects.get().revoked


@pytest.mark.parametrize("page", ["prewarm", "unload", "credential"])
def test_an_auditor_is_not_even_asked(auditor: Client, rows: dict[str, Any], page: str) -> None:
    assert auditor.get(f"/admin/nodes/node/studio/{page}/").status_code == 403


def test_an_operator_steers_nodes(operator: Client, rows: dict[str, Any]) -> None:
    act(operator, "nodes/node", "pause", "studio")
    assert Node.objects.get().paused and LogEntry.objects.get().user.username == "operator"


def test_an_operator_adds_and_removes_nodes(operator: Client) -> None:
    new = {"name": "mini", "url": "mini", "engine": "ollama", "enrolment": "approved"}
    operator.post("/admin/nodes/node/add/", new)
    assert Node.objects.get().name == "mini"
    operator.post("/admin/nodes/node/mini/delete/", {"post": "yes"})
    assert not Node.objects.exists()


def test_an_operator_makes_and_revokes_keys(operator: Client) -> None:
    operator.post("/admin/routing/apikey/add/", {"name": "laptop"})
    act(operator, "routing/apikey", "revoke", ApiKey.objects.get().pk)
    assert ApiKey.objects.get().revoked_at


def test_an_operator_makes_and_removes_aliases(operator: Client) -> None:
    operator.post("/admin/routing/modelalias/add/", {"name": "fast", "target": "m:7b", "fallbacks": ""})
    operator.post(f"/admin/routing/modelalias/{ModelAlias.objects.get().pk}/delete/", {"post": "yes"})
    assert not ModelAlias.objects.exists()


def test_an_auditor_changes_no_alias(auditor: Client, rows: dict[str, Any]) -> None:
    page = f"/admin/routing/modelalias/{rows['routing/modelalias']}/delete/"
    assert auditor.post(page, {"post": "yes"}).status_code == 403


def test_an_operator_makes_tokens(operator: Client) -> None:
    operator.post("/admin/nodes/enrolmenttoken/add/", {"name": "attic"})
    assert EnrolmentToken.objects.get().name == "attic"


def test_an_operator_may_override_parameters_and_an_auditor_may_not(operator: Client, auditor: Client) -> None:
    may = {name: User.objects.get(username=name).has_perm(OVERRIDE) for name in ("operator", "auditor")}
    assert may == {"operator": True, "auditor": False}


OVERRIDE = "fleetsite.add_parameteroverride"


def test_an_operator_makes_nobody_an_administrator(operator: Client, rows: dict[str, Any]) -> None:
    own = User.objects.get(username="operator").pk
    assert operator.post(f"/admin/auth/user/{own}/change/", {"is_superuser": "on"}).status_code == 403


def test_no_page_asks_for_anything_from_elsewhere(admin: Client, rows: dict[str, Any]) -> None:
    adds = [f"/admin/{name}/add/" for name in LISTS if admin.get(f"/admin/{name}/add/").status_code == 200]
    html = "".join(admin.get(page).content.decode() for page in [*pages(rows), *adds])
    outside = re.findall(r"""(?:src|href|action|srcset)\s*=\s*["'](?:\w+:)?//[^"']*""", html)
    assert adds and not outside and "@import" not in html


def test_every_static_file_of_a_page_is_here(admin: Client, rows: dict[str, Any]) -> None:
    html = "".join(admin.get(page).content.decode() for page in pages(rows))
    files = set(re.findall(r"""["']/static/([^"'?]+)""", html))
    assert {"fleetsite/admin.css", "fleetsite/admin.js", "fleetsite/fleet.svg"} <= files
    assert [file for file in files if not finders.find(file)] == []


@pytest.mark.parametrize("sheet", ["admin.css", "signals.css"])
def test_our_own_styles_load_nothing_from_elsewhere(sheet: str) -> None:
    with open(str(finders.find(f"fleetsite/{sheet}"))) as text:  # noqa: PTH123
        assert "//" not in text.read()


def test_the_sidebar_leads_to_the_dashboard_and_the_parameters(admin: Client) -> None:
    html = admin.get("/admin/").content.decode()
    assert 'href="/fleet/"' in html and 'href="/admin/parameters/"' in html


def test_the_sidebar_offers_nobody_what_they_may_not_see() -> None:
    client = here()
    client.force_login(User.objects.create_user("guest", is_staff=True))
    html = client.get("/admin/").content.decode()
    assert 'href="/admin/nodes/node/"' not in html and "auditor" in html


def test_the_first_page_counts_what_stands(admin: Client, rows: dict[str, Any]) -> None:
    act(admin, "nodes/node", "pause", "studio")
    tiles = {tile.title: tile.figure for tile in admin.get("/admin/").context_data["tiles"]}
    assert (tiles["Nodes"], tiles["API keys"], tiles["Parameters"]) == ("0 of 1", "1", "0")
    assert "paused: no → yes" in admin.get("/admin/").content.decode()


def test_the_first_page_needs_no_router(admin: Client) -> None:
    use_fleet(None)
    assert admin.get("/admin/").status_code == 200


def test_the_first_page_follows_the_fleet(admin: Client) -> None:
    use_fleet(StillFleet())  # type: ignore[arg-type]
    assert "none yet" in admin.get("/admin/").content.decode()


def test_a_users_password_is_in_no_log(admin: Client) -> None:
    new = {"username": "eve", "password1": "Sesame-open-1", "password2": "Sesame-open-1", "usable_password": "true"}
    admin.post("/admin/auth/user/add/", new)
    assert User.objects.get(username="eve").check_password("Sesame-open-1")
    assert "Sesame" not in LogEntry.objects.get().change_message


def test_who_joins_a_group_stands_in_the_log(admin: Client, rows: dict[str, Any]) -> None:
    user, group = rows["auth/user"], rows["auth/group"]
    whole = {"username": "guest", "date_joined_0": "2024-01-01", "date_joined_1": "00:00:00", "is_active": "on"}
    admin.post(f"/admin/auth/user/{user}/change/", whole | {"groups": [group]})
    assert "groups: nothing → operator" in LogEntry.objects.get().get_change_message()
