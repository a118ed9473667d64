import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from fleetsite import overrides
from fleetsite.models import ParameterOverride
from nodes import changes

pytestmark = pytest.mark.django_db
PAGE = "/admin/parameters/"
HOT, QUEUE = "FLEET_SCORE_MODEL_HOT", "FLEET_MAX_QUEUE"
EDIT = {f"was-{HOT}": "50", HOT: "60", f"was-{QUEUE}": "256", QUEUE: "9", "note": "warmer"}


def signed_in(*rights: str, staff: bool = True) -> Client:
    """A browser of somebody with these rights."""
    user = User.objects.create_user("ada", is_staff=staff)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


@pytest.fixture
def operator() -> Client:
    """Who may change parameters."""
    return signed_in("add_parameteroverride")


@pytest.fixture
def auditor() -> Client:
    """Who may read."""
    return signed_in("view_parameteroverride")


def text(client: Client, path: str = PAGE, body: Mapping[str, Any] | None = None) -> str:
    """What the page says, blanks in one form."""
    answer = client.get(path) if body is None else client.post(path, body, follow=True)
    return re.sub(r"\s+", " ", answer.content.decode())


def test_every_source_and_the_last_change_are_shown(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOT, "55")
    overrides.change({HOT: 60}, "warmer", User.objects.get())
    entry = text(operator).split(f'id="{HOT}"')[1].split('class="entry')[0]
    assert 'value="60"' in entry
    for words in ("environment 55", "default 50", "0 to 1000", "The model is in memory.", "by ada", "warmer"):
        assert words in entry


def test_several_parameters_are_changed_with_one_note(operator: Client) -> None:
    assert "2 parameters changed. In force everywhere within two seconds." in text(operator, body=EDIT)
    rows = ParameterOverride.objects.values_list("name", "value", "note", "author__username")
    assert set(rows) == {(HOT, 60.0, "warmer", "ada"), (QUEUE, 9, "warmer", "ada")}


def test_a_change_is_told_to_the_servers(operator: Client) -> None:
    operator.post(PAGE, EDIT)
    assert changes.count() == 1


def test_a_change_is_in_djangos_log_in_words(operator: Client) -> None:
    overrides.change({HOT: 55})
    operator.post(PAGE, {f"was-{HOT}": "55", HOT: "60", "note": "warmer"})
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.get_change_message()) == ("ada", f"{HOT}: 55 → 60. warmer")


def test_nothing_is_changed_if_one_value_is_not_taken(operator: Client) -> None:
    page = text(operator, body=EDIT | {QUEUE: "0"})
    assert f"{QUEUE}: 0 is outside 1 to 100000" in page
    assert 'value="60"' in page and 'value="warmer"' in page
    assert not ParameterOverride.objects.exists()


@pytest.mark.parametrize("value", ["", "hot", "nan", "1e999", "-1", "1001", "<b>", "\0", "9" * 5000])
def test_a_value_that_is_none_is_refused_where_it_was_entered(operator: Client, value: str) -> None:
    page = text(operator, body=EDIT | {HOT: value})
    assert f"{HOT}: " in page.split('class="problem"')[1].split("</p>")[0]
    assert "<b>" not in page
    assert not ParameterOverride.objects.exists()


@pytest.mark.parametrize("note", ["x" * 256, "a\0b"])
def test_a_note_that_can_not_be_kept_is_refused(operator: Client, note: str) -> None:
    assert "The note is a text of at most 255 characters." in text(operator, body=EDIT | {"note": note})
    assert not ParameterOverride.objects.exists()


def test_a_change_that_another_overtook_is_shown_and_not_made(operator: Client) -> None:
    overrides.change({HOT: 70})
    assert "it has become 70 meanwhile" in text(operator, body=EDIT)
    assert ParameterOverride.objects.count() == 1


def test_a_form_that_changes_nothing_adds_nothing(operator: Client) -> None:
    assert "Nothing was changed." in text(operator, body={f"was-{HOT}": "50", HOT: "50"})
    assert not ParameterOverride.objects.exists()


def test_a_box_reverts_a_parameter(operator: Client) -> None:
    overrides.change({HOT: 60})
    operator.post(PAGE, {f"was-{HOT}": "60", HOT: "60", f"revert-{HOT}": "on"})
    assert overrides.in_force(overrides.latest()) == {}


def test_the_history_of_one_parameter_has_every_step(operator: Client) -> None:
    for value in (60, 70, None):
        overrides.change({HOT: value, QUEUE: 9})
    steps = re.findall(r'class="step">([^<]+)<', text(operator, f"{PAGE}{HOT}/"))
    assert steps == ["70 → no override", "60 → 70", "no override → 60"]


def test_the_history_of_all_names_each_parameter(operator: Client) -> None:
    overrides.change({HOT: 60})
    overrides.change({QUEUE: 9})
    page = text(operator, f"{PAGE}history/")
    assert page.index(f"<code>{QUEUE}") < page.index(f"<code>{HOT}")


def test_a_long_history_has_pages(operator: Client) -> None:
    for value in range(51):
        overrides.change({HOT: value})
    assert ["Back to 50" in text(operator, f"{PAGE}{HOT}/"), "Older" in text(operator, f"{PAGE}{HOT}/")] == [
        False,
        True,
    ]
    assert "no override → 0" in text(operator, f"{PAGE}{HOT}/?page=2")


def test_an_earlier_value_is_brought_back(operator: Client) -> None:
    overrides.change({HOT: 60})
    earlier = ParameterOverride.objects.get()
    overrides.change({HOT: 70})
    page = text(operator, f"{PAGE}{HOT}/", {"to": str(earlier.pk), "note": "was better"})
    assert f"{HOT} is 60 again" in page
    assert overrides.history().values_list("value", "note")[0] == (60, "was better")


def test_a_parameter_is_reverted_from_its_history(operator: Client) -> None:
    overrides.change({HOT: 60})
    assert f"{HOT} is 50 again" in text(operator, f"{PAGE}{HOT}/", {"to": ""})
    assert overrides.in_force(overrides.latest()) == {}


@pytest.mark.parametrize("to", ["999", "9" * 30, "x", "-1", "²", "٣", None])
def test_only_an_earlier_change_of_that_parameter_is_gone_back_to(operator: Client, to: str | None) -> None:
    overrides.change({HOT: 60})
    assert operator.post(f"{PAGE}{HOT}/", {} if to is None else {"to": to}).status_code == 404
    assert ParameterOverride.objects.count() == 1


def test_the_change_of_another_parameter_is_not_gone_back_to(operator: Client) -> None:
    overrides.change({QUEUE: 9})
    to = str(ParameterOverride.objects.get().pk)
    assert operator.post(f"{PAGE}{HOT}/", {"to": to}).status_code == 404


def test_a_parameter_that_is_none_has_no_page(operator: Client) -> None:
    assert operator.get(f"{PAGE}FLEET_XYZZY/").status_code == 404


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}history/", f"{PAGE}{HOT}/"])
def test_an_auditor_sees_and_is_offered_no_change(auditor: Client, path: str) -> None:
    overrides.change({HOT: 60})
    answer = auditor.get(path)
    assert answer.status_code == 200
    offered = ('name="note"', 'name="to"', ">Save<", ">Back to")
    assert [words for words in offered if words in answer.content.decode()] == []


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}{HOT}/"])
def test_an_auditor_changes_nothing(auditor: Client, path: str) -> None:
    overrides.change({HOT: 55})
    assert auditor.post(path, EDIT | {"to": ""}).status_code == 403
    assert ParameterOverride.objects.count() == 1


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}history/", f"{PAGE}{HOT}/"])
def test_who_is_no_staff_is_sent_to_sign_in(path: str) -> None:
    assert signed_in("add_parameteroverride", staff=False).get(path).status_code == 302


def test_a_foreign_page_changes_nothing() -> None:
    client = Client(enforce_csrf_checks=True, headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("ada"))
    assert client.post(PAGE, EDIT).status_code == 403
    assert not ParameterOverride.objects.exists()


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}history/", f"{PAGE}{HOT}/"])
def test_a_page_asks_no_other_server_for_anything(operator: Client, path: str) -> None:
    overrides.change({HOT: 60})
    links = re.findall(r'(?:src|href)="([^"]+)"', text(operator, path))
    assert links and not [link for link in links if "//" in link]
