from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from fleetsite.models import ParameterOverride
from nodes import changes, roster

pytestmark = pytest.mark.django_db
NODES, PARAMETERS = "/fleet/api/v1/nodes", "/fleet/api/v1/parameters"
NAME = "FLEET_SCORE_MODEL_HOT"


def shown(api: APIClient, name: str = NAME) -> dict[str, Any]:
    """How one parameter is shown."""
    rows: Iterator[dict[str, Any]] = iter(api.get(PARAMETERS).json()["results"])
    return next(row for row in rows if row["name"] == name)


def patched(api: APIClient, body: object) -> Any:
    return api.patch(PARAMETERS, body, format="json")


def test_nodes_are_listed_in_the_order_of_enrolment(reader: APIClient) -> None:
    roster.add("studio", "http://a")
    roster.add("mini", "http://b")
    answer = reader.get(NODES).json()
    assert ([row["name"] for row in answer["results"]], answer["next"]) == (["studio", "mini"], None)


def test_a_stranger_reads_nothing(reader: APIClient) -> None:
    assert reader.get(NODES, REMOTE_ADDR="192.168.1.9").status_code == 401


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_a_path_that_there_is_not_is_said_in_json(reader: APIClient, method: str) -> None:
    answer = getattr(reader, method)("/fleet/api/v1/nonsense")
    assert (answer.status_code, "/fleet/api/v1/nonsense" in answer.json()["detail"]) == (404, True)


def test_a_parameter_is_shown_with_all_its_sources(operator: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "55")
    patched(operator, {NAME: 60, "note": "warmer"})
    row = shown(operator)
    at = row["last_change"].pop("at")
    assert at.endswith("Z")
    assert row == {
        "name": NAME,
        "group": "ScoringWeights",
        "type": "float",
        "value": 60.0,
        "default": 50.0,
        "environment": 55.0,
        "override": 60.0,
        "range": [0, 1000],
        "choices": [],
        "unit": "",
        "help": "The model is in memory.",
        "last_change": {"value": 60.0, "note": "warmer", "author": None},
    }


def test_without_an_override_the_environment_is_in_force(reader: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "55")
    row = shown(reader)
    assert (row["value"], row["override"], row["last_change"]) == (55, None, None)


def test_without_a_word_the_default_is_in_force(reader: APIClient) -> None:
    row = shown(reader)
    assert (row["value"], row["environment"]) == (50, None)


def test_null_reverts_a_parameter(operator: APIClient) -> None:
    patched(operator, {NAME: 60})
    patched(operator, {NAME: None, "note": "too warm"})
    row = shown(operator)
    assert (row["value"], row["override"], row["last_change"]["note"]) == (50, None, "too warm")


def test_a_change_is_answered_with_what_then_holds(operator: APIClient) -> None:
    rows = patched(operator, {NAME: 60}).json()["results"]
    assert next(row["value"] for row in rows if row["name"] == NAME) == 60


def test_every_bad_value_is_named_and_nothing_is_changed(operator: APIClient) -> None:
    answer = patched(operator, {NAME: "hot", "FLEET_MAX_QUEUE": 0, "FLEET_XYZZY": 1, "FLEET_KV_GB_PER_REQUEST": 1})
    assert answer.status_code == 400
    assert set(answer.json()) == {NAME, "FLEET_MAX_QUEUE", "FLEET_XYZZY"}
    assert (ParameterOverride.objects.count(), changes.count()) == (0, 0)


@pytest.mark.parametrize(
    "body", [[], "x", 7, None, {}, {"note": "only"}, {NAME: 60, "note": 7}, {NAME: 60, "note": "x" * 256}]
)
def test_a_body_that_is_no_change_is_refused(operator: APIClient, body: object) -> None:
    assert patched(operator, body).status_code == 400


def test_a_body_that_is_no_json_is_refused(operator: APIClient) -> None:
    assert operator.patch(PARAMETERS, "{", content_type="application/json").status_code == 400


def test_a_method_that_is_none_is_refused(operator: APIClient) -> None:
    assert operator.delete(PARAMETERS).status_code == 405


def test_this_machine_alone_changes_nothing(reader: APIClient) -> None:
    assert patched(reader, {NAME: 60}).status_code == 401
    assert not ParameterOverride.objects.exists()


def test_a_signed_in_user_signs_the_change(reader: APIClient) -> None:
    reader.force_login(User.objects.create_superuser("ada"))
    patched(reader, {NAME: 60})
    assert shown(reader)["last_change"]["author"] == "ada"
