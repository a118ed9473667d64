"""A model that fits only where another idles: room is made for it, once it idles, unless an operator forbids it."""

from collections.abc import Iterator

import pytest

from tests.conftest import Router, RouterFactory, until
from tests.walks.fleets import Fleet, fleet_of, hanging


@pytest.fixture(scope="module")
def fleet(module_router: Router) -> Iterator[Fleet]:
    with fleet_of(module_router) as fleet:
        yield fleet


def test_an_idle_model_is_unloaded_for_one_that_fits_only_without_it(fleet: Fleet) -> None:
    node = fleet.add("one", "older=6,newer=7", "--memory-gb", "10")
    assert fleet.ask("older").status == 200
    answer = fleet.ask("newer")
    assert (answer.status, node.node.seen.unloads["older:latest"], node.node.seen.evictions.total()) == (200, 1, 0)
    words = [attempt["error"] for attempt in fleet.decision(answer)["attempts"]]
    assert words == ["unloaded idle older:latest to make room for newer:latest"]


def test_room_is_made_from_a_model_that_only_embeds_as_well(fleet: Fleet) -> None:
    node = fleet.add("two", "nomic-embed-text=6,chatty=7", "--memory-gb", "10")
    assert fleet.ask("nomic-embed-text", "/api/embed").status == 200
    assert (fleet.ask("chatty").status, node.node.seen.unloads["nomic-embed-text:latest"]) == (200, 1)


def test_a_model_that_is_busy_is_waited_for_and_then_unloaded(fleet: Fleet) -> None:
    node = fleet.add("three", "busy=6,patient=7", "--memory-gb", "10")
    fleet.warm(node, "busy")
    with hanging(node):
        first = fleet.begin("busy")
        node.wait_for(lambda: node.node.seen.in_flight.now["busy:latest"])
        second = fleet.begin("patient")
        until(lambda: fleet.decisions("patient", "running"))
        unloads = node.node.seen.unloads.total()
    assert (unloads, first.result().status, second.result().status) == (0, 200, 200)
    assert fleet.decision(second.result())["held_ms"] > 0


def test_an_operator_may_forbid_it_and_then_the_request_is_refused_in_the_end(router: RouterFactory) -> None:
    with fleet_of(router(FLEET_HOLD_MAKES_ROOM="false", FLEET_HOLD_TIMEOUT="1")) as strict:
        node = strict.add("four", "older=6,newer=7", "--memory-gb", "10")
        strict.warm(node, "older")
        answer = strict.ask("newer")
        assert (answer.status, strict.decision(answer)["outcome"]) == (503, "hold_expired")
        assert node.node.seen.unloads.total() == 0
