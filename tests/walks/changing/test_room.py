"""A model that fits only where another idles: room is made for it as soon as that one idles."""

import pytest

from tests.walks.changing.parts import Fleet, Planned, eventually, hanging

GRANT = ("--memory-gb", "10")
FULL = (
    Planned("one", "older=6,newer=7", GRANT),
    Planned("two", "nomic-embed-text=6,chatty=7", GRANT),
    Planned("three", "busy=6,patient=7", GRANT),
)


@pytest.fixture(scope="module", autouse=True)
def nodes(fleet: Fleet) -> None:
    fleet.add(*FULL)


def test_an_idle_model_is_unloaded_for_one_that_fits_only_without_it(fleet: Fleet) -> None:
    seen = fleet.nodes["one"].node.seen
    assert fleet.ask("older").status == 200
    answer = fleet.ask("newer")
    assert (answer.status, seen.unloads["older:latest"], seen.evictions.total()) == (200, 1, 0)
    words = [attempt["error"] for attempt in fleet.decision(answer)["attempts"]]
    assert words == ["unloaded idle older:latest to make room for newer:latest"]


def test_room_is_made_from_a_model_that_only_embeds_as_well(fleet: Fleet) -> None:
    assert fleet.ask("nomic-embed-text", "/api/embed").status == 200
    assert fleet.ask("chatty").status == 200
    assert fleet.nodes["two"].node.seen.unloads["nomic-embed-text:latest"] == 1


def test_a_model_that_is_busy_is_waited_for_and_then_unloaded(fleet: Fleet) -> None:
    node = fleet.nodes["three"]
    assert fleet.ask("busy").status == 200
    with hanging(node):
        first = fleet.begin("busy")
        node.wait_for(lambda: node.node.seen.in_flight.now["busy:latest"])
        second = fleet.begin("patient")
        eventually(lambda: fleet.decisions("patient", "running"))
        unloads = node.node.seen.unloads.total()
    assert (unloads, first.result().status, second.result().status) == (0, 200, 200)
    assert fleet.decision(second.result())["held_ms"] > 0
