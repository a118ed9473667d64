"""What changes while the router runs is in force at once: parameters, and what is in a node's memory."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import RouterFactory, routers, until
from tests.walks.fleets import API, Answer, Fleet, fleet_of, opened, question, send


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A router that reads its nodes once in half a minute, unless it has a reason."""
    with routers(tmp_path_factory.mktemp("changes")) as start, fleet_of(start(FLEET_POLL_INTERVAL="30")) as fleet:
        yield fleet


def warmth(fleet: Fleet, answer: Answer) -> Any:
    """What the model's warmth was worth to the node that won."""
    return fleet.decision(answer)["candidates"][0]["signals"]["model_warmth"]


def test_a_model_that_had_to_be_loaded_counts_as_loaded_for_the_very_next_request(fleet: Fleet) -> None:
    fleet.add("whole", "whole=1")
    assert [warmth(fleet, fleet.ask("whole")) for _ in range(2)] == [10, 50]


def test_it_counts_as_loaded_from_the_first_byte_of_a_stream(fleet: Fleet) -> None:
    node = fleet.add("streamed", "streamed=1", tokens_per_second=2.0)
    body = question("streamed", "/api/chat") | {"stream": True}
    with opened(fleet.router.url, "POST", "/api/chat", body) as stream:
        stream.readline()
        assert fleet.knows(node, "streamed")
        until(lambda: fleet.row("streamed")["resident"][0]["size_gb"])


def test_a_node_that_dies_is_looked_at_when_a_request_fails_there(fleet: Fleet) -> None:
    node = fleet.add("mortal", "mortal=1")
    node.do(node.node.kill)
    assert fleet.ask("mortal").status == 502
    until(lambda: fleet.state("mortal") == "unreachable")


def test_a_changed_parameter_is_in_force_within_two_seconds_and_its_version_recorded(fleet: Fleet) -> None:
    fleet.add("weighed", "weighed=1")
    before = [fleet.ask("weighed") for _ in range(2)][1]
    fleet.patch(FLEET_SCORE_MODEL_HOT=61, note="prefer what is loaded")
    until(lambda: warmth(fleet, fleet.ask("weighed")) == 61, within=2.0)
    versions = [fleet.decision(answer)["parameters_version"] for answer in (before, fleet.ask("weighed"))]
    assert versions == [0, 1] and warmth(fleet, before) == 50


def test_parameters_are_changed_by_who_may_only(fleet: Fleet) -> None:
    answers = [
        send(fleet.router.url, "PATCH", f"{API}/parameters", {"FLEET_MAX_QUEUE": 1}, headers)
        for headers in ({}, {"Authorization": "Bearer guessed"})
    ]
    assert [answer.status for answer in answers] == [401, 401]


def test_a_wrong_value_is_refused_with_its_range(fleet: Fleet, router: RouterFactory) -> None:
    answer = send(fleet.router.url, "PATCH", f"{API}/parameters", {"FLEET_MAX_QUEUE": 0}, fleet.control)
    assert (answer.status, list(answer.json())) == (400, ["FLEET_MAX_QUEUE"])
