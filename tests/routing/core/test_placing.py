"""Where models are looked after."""

from typing import Any

import pytest

from nodes.core.values import DiskModel, FleetSnapshot, Memory, NodeSnapshot
from routing.core.placing import called, holders, home_of_blobs, to_pull
from routing.core.problems import Problem

MODEL = "acme:7b"


def node(name: str, total: float | None = None, free: float | None = None, *models: str, **known: Any) -> NodeSnapshot:
    """An Ollama with so much memory, in GB, that has these models, of 20 GB each."""
    disk = {model: DiskModel(model, 20.0) for model in models}
    return NodeSnapshot(f"id-{name}", name, memory=Memory(total, free), on_disk=disk, **known)


def fleet(*nodes: NodeSnapshot) -> FleetSnapshot:
    """These nodes."""
    return FleetSnapshot(0.0, nodes)


def test_a_model_is_pulled_onto_the_node_with_the_most_memory_available() -> None:
    assert to_pull(fleet(node("a", 64, 10), node("b", 32, 30)), MODEL).name == "b"


def test_a_model_is_pulled_onto_a_node_that_lacks_it() -> None:
    assert to_pull(fleet(node("a", 64, 60, MODEL), node("b", 32, 30)), MODEL).name == "b"


def test_a_model_that_all_have_is_pulled_again_onto_the_best() -> None:
    assert to_pull(fleet(node("a", 64, 60, MODEL), node("b", 32, 30, MODEL)), MODEL).name == "a"


def test_a_node_whose_memory_is_known_to_be_too_small_is_out() -> None:
    assert to_pull(fleet(node("has", 64, 60, MODEL), node("small", 16, 16), node("unknown")), MODEL).name == "unknown"


def test_a_model_of_unknown_size_may_go_anywhere() -> None:
    assert to_pull(fleet(node("a", 8, 4)), "nobody/knows:it").name == "a"


def test_a_model_that_no_node_can_hold_is_refused_with_the_numbers() -> None:
    with pytest.raises(Problem, match=r"it takes 350\.0 GB, the largest node has 64\.0 GB"):
        to_pull(fleet(node("a", 64, 60)), "deepseek-r1:671b")


@pytest.mark.parametrize(
    "out",
    [
        {"engine": "openai"},
        {"enrolment": "pending"},
        {"status": "offline"},
        {"reachable": False},
        {"paused": True},
        {"draining": True},
    ],
)
def test_nothing_is_pulled_onto_a_node_that_takes_nothing(out: dict[str, Any]) -> None:
    with pytest.raises(Problem, match="none can be reached"):
        to_pull(fleet(node("a", **out)), MODEL)


def test_a_paused_node_that_is_named_is_asked() -> None:
    assert called(fleet(node("a", paused=True)), "a").name == "a"


def test_a_node_goes_by_its_id_too() -> None:
    assert called(fleet(node("a")), "id-a").name == "a"


@pytest.mark.parametrize(
    ("known", "status", "words"),
    [
        ({"enrolment": "pending"}, 404, "no node 'a'; nodes: none"),
        ({"engine": "openai"}, 400, "is no Ollama"),
        ({"reachable": False}, 503, "can't be reached"),
    ],
)
def test_a_node_that_is_named_in_vain_is_refused_with_the_reason(
    known: dict[str, Any], status: int, words: str
) -> None:
    with pytest.raises(Problem, match=words) as refused:
        called(fleet(node("a", **known)), "a")
    assert refused.value.status == status


def test_holders_that_can_not_be_asked_come_last() -> None:
    away, there = node("away", 1, 1, MODEL, reachable=False), node("there", 1, 1, MODEL)
    assert [n.name for n in holders(fleet(away, there, node("lacks")), MODEL)] == ["there", "away"]


def test_the_home_of_blobs_does_not_change_with_the_load() -> None:
    assert home_of_blobs(fleet(node("a", 32, 30), node("b", 64, 1))).name == "b"
