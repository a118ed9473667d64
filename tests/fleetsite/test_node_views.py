from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from rest_framework.test import APIClient

from nodes import roster
from nodes.models import Node

pytestmark = pytest.mark.django_db
NODES = "/fleet/api/v1/nodes"


def posted(api: APIClient, body: object) -> Any:
    return api.post(NODES, body, format="json")


def patched(api: APIClient, body: object, name: str = "studio") -> Any:
    return api.patch(f"{NODES}/{name}", body, format="json")


def test_a_node_is_added(operator: APIClient) -> None:
    answer = posted(operator, {"name": "Mac Studio", "url": "studio", "memory_gb": 128, "note": "in the cellar"})
    assert (answer.status_code, answer.json()["url"]) == (201, "http://studio:11434")
    node = roster.find("Mac Studio")
    assert (node.memory_gb, node.parallel, node.enrolment, node.note) == (128, None, "approved", "in the cellar")


def test_an_added_node_is_shown_as_the_list_shows_it(operator: APIClient) -> None:
    added = posted(operator, {"name": "studio", "url": "http://a"}).json()
    assert [added] == operator.get(NODES).json()["results"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "non_field_errors"),
        ("x", "non_field_errors"),
        ({"url": "http://b"}, "name"),
        ({"name": "b"}, "url"),
        ({"name": "a/b", "url": "http://b"}, "name"),
        ({"name": "b\0", "url": "http://b"}, "name"),
        ({"name": ["b"], "url": "http://b"}, "name"),
        ({"name": "b", "url": "ftp://b"}, "detail"),
        ({"name": "b", "url": "http://b/v1"}, "detail"),
        ({"name": "b", "url": "http://a"}, "detail"),
        ({"name": "studio", "url": "http://b"}, "detail"),
        ({"name": "b", "url": "http://b", "engine": "magic"}, "engine"),
        ({"name": "b", "url": "http://b", "memory_gb": 0}, "memory_gb"),
        ({"name": "b", "url": "http://b", "memory_gb": "nan"}, "memory_gb"),
        ({"name": "b", "url": "http://b", "bandwidth_gbps": -1}, "bandwidth_gbps"),
        ({"name": "b", "url": "http://b", "parallel": 1.5}, "parallel"),
        ({"name": "b", "url": "http://b", "parallel": 2**31}, "parallel"),
        ({"name": "b", "url": "http://b", "memory": 64}, "memory"),
    ],
)
def test_a_node_that_can_not_be_added_is_refused_with_the_reason(operator: APIClient, body: object, field: str) -> None:
    roster.add("studio", "http://a")
    answer = posted(operator, body)
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert Node.objects.count() == 1


def test_one_node_is_shown_by_its_name(reader: APIClient) -> None:
    roster.add("Mac Studio", "http://a")
    assert reader.get(f"{NODES}/Mac Studio").json()["id"] == "mac-studio"


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
def test_a_node_that_there_is_not_is_404_with_those_there_are(operator: APIClient, method: str) -> None:
    roster.add("studio", "http://a")
    answer = getattr(operator, method)(f"{NODES}/nope", {}, format="json")
    assert (answer.status_code, "Known nodes: studio" in answer.json()["detail"]) == (404, True)


def test_a_node_is_changed(operator: APIClient) -> None:
    roster.add("studio", "http://a", numbers={"parallel": 2})
    row = patched(operator, {"parallel": None, "bandwidth_gbps": 800}).json()
    assert (row["parallel"], row["bandwidth_gbps"], row["url"]) == (None, 800, "http://a")


@pytest.mark.parametrize("body", [[], {"paused": True}, {"id": "x"}, {"name": "mini"}, {"url": ""}, {"parallel": 0}])
def test_a_change_that_can_not_be_is_refused(operator: APIClient, body: object) -> None:
    roster.add("studio", "http://a")
    roster.add("mini", "http://b")
    before = Node.objects.values().get(name="studio")
    assert patched(operator, body).status_code == 400
    assert Node.objects.values().get(name="studio") == before


def test_a_node_is_removed(operator: APIClient) -> None:
    roster.add("studio", "http://a")
    assert operator.delete(f"{NODES}/studio").status_code == 204
    assert not Node.objects.exists()


def test_this_machine_alone_changes_no_node(reader: APIClient) -> None:
    roster.add("studio", "http://a")
    refused = [
        posted(reader, {"name": "b", "url": "http://b"}),
        patched(reader, {"parallel": 2}),
        reader.delete(f"{NODES}/studio"),
    ]
    assert [answer.status_code for answer in refused] == [401, 401, 401]


def test_who_may_change_nodes_may_not_remove_them(reader: APIClient) -> None:
    roster.add("studio", "http://a")
    user = User.objects.create_user("ada")
    user.user_permissions.add(Permission.objects.get(codename="change_node"))
    reader.force_login(user)
    assert patched(reader, {"parallel": 2}).status_code == 200
    assert reader.delete(f"{NODES}/studio").status_code == 403


@pytest.mark.parametrize("path", ["nodes", "parameters", "keys"])
def test_a_filter_that_a_list_does_not_know_is_refused(reader: APIClient, path: str) -> None:
    assert reader.get(f"/fleet/api/v1/{path}", {"colour": "red"}).status_code == 400
