"""What changes while the router runs is in force at once: parameters, and what is in a node's memory."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import routers
from tests.walks.calls import Answer
from tests.walks.changing.parts import Fleet, Planned, eventually, fleet_of


@pytest.fixture(scope="module")
def incurious(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A router that reads its nodes once in half a minute, unless it has a reason."""
    with routers(tmp_path_factory.mktemp("changes")) as start, fleet_of(start(FLEET_POLL_INTERVAL="30")) as fleet:
        fleet.add(
            *(Planned(name, f"{name}=1") for name in ("whole", "mortal", "weighed")),
            Planned("slow", "slow=1", machine={"tokens_per_second": 2.0}),
        )
        yield fleet


def warmth(fleet: Fleet, answer: Answer) -> Any:
    """What the model's warmth was worth to the node that won."""
    return fleet.decision(answer)["candidates"][0]["signals"]["model_warmth"]


def test_a_model_that_had_to_be_loaded_counts_as_loaded_for_the_very_next_request(incurious: Fleet) -> None:
    assert [warmth(incurious, incurious.ask("whole")) for _ in range(2)] == [10, 50]


def test_it_counts_as_loaded_from_the_first_byte_of_a_stream_and_soon_its_size_is_known(incurious: Fleet) -> None:
    stream = incurious.stream("slow")
    stream.line()
    assert incurious.knows(incurious.nodes["slow"], "slow")
    eventually(lambda: incurious.row("slow")["resident"][0]["size_gb"])
    stream.leave()


def test_a_node_is_looked_at_as_soon_as_a_request_fails_there(incurious: Fleet) -> None:
    node = incurious.nodes["mortal"]
    node.do(node.node.kill)
    assert incurious.ask("mortal").status == 502
    eventually(lambda: incurious.state("mortal") == "unreachable")


def test_a_changed_parameter_is_soon_in_force_and_its_version_recorded(incurious: Fleet) -> None:
    before = [incurious.ask("weighed") for _ in range(2)][1]
    assert incurious.patch({"FLEET_SCORE_MODEL_HOT": 61, "note": "prefer what is loaded"}).status == 200
    eventually(lambda: warmth(incurious, incurious.ask("weighed")) == 61, within=5.0)
    versions = [incurious.decision(answer)["parameters_version"] for answer in (before, incurious.ask("weighed"))]
    assert (versions, warmth(incurious, before)) == ([0, 1], 50)
    incurious.patch({"FLEET_SCORE_MODEL_HOT": None})


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer guessed"}], ids=["nobody", "a guess"])
def test_parameters_are_changed_by_who_may_only(incurious: Fleet, headers: dict[str, str]) -> None:
    assert incurious.patch({"FLEET_MAX_QUEUE": 1}, headers).status == 401


def test_a_wrong_value_is_refused_by_name(incurious: Fleet) -> None:
    answer = incurious.patch({"FLEET_MAX_QUEUE": 0})
    assert (answer.status, list(answer.json())) == (400, ["FLEET_MAX_QUEUE"])
