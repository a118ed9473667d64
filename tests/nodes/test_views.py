from collections.abc import Iterator

import pytest
from rest_framework.test import APIClient

from nodes import roster
from nodes.lib.control import ControlToken
from nodes.lib.live import install

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Iterator[APIClient]:
    """A client with the control token."""
    install(ControlToken("token"))
    yield APIClient(HTTP_HOST="localhost", HTTP_AUTHORIZATION="Bearer token")
    install(ControlToken())


def test_a_node_is_paused_over_the_api(api: APIClient) -> None:
    roster.add("Mac Studio", "http://a")
    answer = api.post("/fleet/api/v1/nodes/Mac Studio/pause")
    assert answer.json()["paused"] is True
    assert roster.find("Mac Studio").paused


def test_an_unknown_node_is_404_with_the_known_ones(api: APIClient) -> None:
    roster.add("studio", "http://a")
    answer = api.post("/fleet/api/v1/nodes/nope/pause")
    assert (answer.status_code, "Known nodes: studio" in answer.json()["detail"]) == (404, True)


def test_an_action_that_is_none_is_404(api: APIClient) -> None:
    roster.add("studio", "http://a")
    assert api.post("/fleet/api/v1/nodes/studio/explode").status_code == 404


def test_without_a_right_nothing_is_changed() -> None:
    roster.add("studio", "http://a")
    assert APIClient(HTTP_HOST="localhost").post("/fleet/api/v1/nodes/studio/pause").status_code == 401
    assert not roster.find("studio").paused
