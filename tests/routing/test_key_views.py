"""API keys over the control API."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from rest_framework.test import APIClient

from nodes.lib.control import ControlToken
from nodes.lib.digest import digest
from nodes.lib.live import install
from routing import keys
from routing.models import ApiKey

pytestmark = pytest.mark.django_db
KEYS = "/fleet/api/v1/keys"


@pytest.fixture
def operator() -> Iterator[APIClient]:
    """Who holds the control token."""
    install(ControlToken("token"))
    yield APIClient(HTTP_HOST="localhost", HTTP_AUTHORIZATION="Bearer token")
    install(ControlToken())


def posted(api: APIClient, body: object) -> Any:
    return api.post(KEYS, body, format="json")


def test_a_key_is_shown_when_it_is_made_and_kept_as_its_digest(operator: APIClient) -> None:
    answer = posted(operator, {"name": "laptop"})
    assert answer.status_code == 201
    assert ApiKey.objects.get().digest == digest(answer.json()["key"])


def test_a_key_may_what_it_was_given(operator: APIClient) -> None:
    posted(operator, {"name": "a", "models": ["Llama3:8B"], "pull": True, "rpm": 60, "max_in_flight": 2})
    row = ApiKey.objects.get()
    assert (row.models, row.pull, row.rpm, row.max_in_flight) == (["llama3:8b"], True, 60, 2)


def test_a_key_expires_when_it_was_told_to(operator: APIClient) -> None:
    posted(operator, {"name": "a", "expires": "12h"})
    row = ApiKey.objects.get()
    assert row.expires_at is not None
    assert round((row.expires_at - row.created_at).total_seconds() / 3600) == 12


def test_the_list_shows_no_secret(operator: APIClient) -> None:
    secret = posted(operator, {"name": "laptop"}).json()["key"]
    answer = operator.get(KEYS)
    assert [row["name"] for row in answer.json()["results"]] == ["laptop"]
    assert secret not in answer.content.decode() and digest(secret) not in answer.content.decode()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "non_field_errors"),
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": "a\nb"}, "detail"),
        ({"name": "taken"}, "detail"),
        ({"name": "a", "models": "llama3"}, "models"),
        ({"name": "a", "models": [{}]}, "models"),
        ({"name": "a", "rpm": 0}, "rpm"),
        ({"name": "a", "rpm": 2**31}, "rpm"),
        ({"name": "a", "max_in_flight": "many"}, "max_in_flight"),
        ({"name": "a", "expires": "soon"}, "detail"),
        ({"name": "a", "expires": "0d"}, "detail"),
        ({"name": "a", "expires": "999999999d"}, "detail"),
        ({"name": "a", "secret": "mine"}, "secret"),
    ],
)
def test_a_key_that_can_not_be_made_is_refused_with_the_reason(operator: APIClient, body: object, field: str) -> None:
    keys.create("taken")
    answer = posted(operator, body)
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert ApiKey.objects.count() == 1


def test_a_revoked_key_stays_in_the_list_and_opens_nothing(operator: APIClient) -> None:
    posted(operator, {"name": "a/b laptop"})
    answer = operator.post(f"{KEYS}/a/b laptop/revoke")
    assert answer.json()["revoked_at"]
    assert not keys.load().by_digest


def test_a_key_is_revoked_once(operator: APIClient) -> None:
    keys.create("laptop")
    assert [operator.post(f"{KEYS}/laptop/revoke").status_code for _ in range(2)] == [200, 400]


def test_a_key_that_there_is_not_is_404_with_those_there_are(operator: APIClient) -> None:
    keys.create("laptop")
    answer = operator.post(f"{KEYS}/nope/revoke")
    assert (answer.status_code, "laptop" in answer.json()["detail"]) == (404, True)


def test_without_the_right_no_key_is_made_or_revoked() -> None:
    keys.create("laptop")
    user = User.objects.create_user("ada")
    user.user_permissions.add(Permission.objects.get(codename="view_apikey"))
    api = APIClient(HTTP_HOST="localhost")
    api.force_login(user)
    assert posted(api, {"name": "b"}).status_code == 403
    assert api.post(f"{KEYS}/laptop/revoke").status_code == 403
    assert ApiKey.objects.filter(revoked_at=None).count() == 1


def test_a_name_that_was_revoked_before_is_made_and_revoked_again(operator: APIClient) -> None:
    for _ in range(2):
        assert posted(operator, {"name": "laptop"}).status_code == 201
        assert operator.post(f"{KEYS}/laptop/revoke").json()["revoked_at"] is not None
