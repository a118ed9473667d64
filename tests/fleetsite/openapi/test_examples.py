import json

import pytest

from fleetsite.openapi import examples
from fleetsite.openapi.dataplane import ENDPOINTS
from fleetsite.parameters import parse
from nodes.core.heartbeat_form import heartbeat_of
from nodes.serializers import NodeForm
from routing.core.explain import explain
from routing.protocols import PROTOCOLS
from routing.serializers import KeyForm

ASKED = {endpoint.path: endpoint for endpoint in ENDPOINTS if endpoint.path in PROTOCOLS}


@pytest.mark.parametrize("path", ASKED)
def test_the_router_understands_the_example(path: str) -> None:
    request = ASKED[path].request
    assert isinstance(request, dict)
    assert PROTOCOLS[path].read(path, request).model == request["model"]


@pytest.mark.parametrize("path", ASKED)
def test_the_example_of_an_answer_is_a_whole_one(path: str) -> None:
    tail = json.dumps(ASKED[path].answers["application/json"]).encode()
    assert PROTOCOLS[path].ending(path, False, tail).complete


def test_a_heartbeat_like_the_example_is_taken() -> None:
    assert heartbeat_of(examples.HEARTBEAT, 0.0).node == "studio"


def test_the_case_is_explained_as_shown() -> None:
    assert explain(examples.CASE) == examples.EXPLANATION


@pytest.mark.django_db
def test_a_node_and_a_key_like_the_examples_can_be_made() -> None:
    assert NodeForm(data=examples.NODE).checked()
    assert KeyForm(data=examples.KEY).create_key()


def test_the_parameters_of_the_example_take_its_values() -> None:
    assert parse({name: value for name, value in examples.CHANGE.items() if name != "note"})
