"""Lists of models: the first that is loaded, else the first that can be; nobody gets what nobody asked for."""

from typing import Any

import pytest

from nodes.simulated.thread import Running
from tests.walks.changing.parts import Fleet, Planned


@pytest.fixture(scope="module")
def node(fleet: Fleet) -> Running:
    """It has every model on disk and one of them in memory."""
    node, *_ = fleet.add(Planned("only", "cold=1,loaded=1,first=1,second=1,qwen2.5:7b=1"))
    fleet.ask("loaded")
    return node


def last_body(node: Running, path: str = "/api/chat") -> Any:
    return node.node.seen.bodies(path)[-1]


def test_a_loaded_fallback_wins_over_a_primary_that_must_be_loaded(fleet: Fleet, node: Running) -> None:
    headers = fleet.ask("cold", fallback_models=["loaded"]).headers
    assert (headers["x-fleet-fallback"], headers["x-fleet-served-model"]) == ("true", "loaded:latest")
    assert node.node.seen.loads["cold:latest"] == 0


def test_the_engine_is_asked_for_the_model_that_serves_and_sees_no_list(fleet: Fleet, node: Running) -> None:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}], "options": {"seed": 7}}
    fleet.ask("cold", fallback_models=["loaded"], **body)
    assert last_body(node) == {"model": "loaded:latest", "stream": False} | body


def test_the_decision_names_what_was_asked_and_what_served(fleet: Fleet, node: Running) -> None:
    decision = fleet.decision(fleet.ask("cold", fallback_models=["loaded"]))
    assert (decision["requested_model"], decision["served_model"]) == ("cold", "loaded:latest")


def test_a_loaded_fallback_serves_the_other_dialect_as_well(fleet: Fleet, node: Running) -> None:
    answer = fleet.ask("cold", "/v1/chat/completions", fallback_models=["loaded"])
    assert (answer.json()["model"], last_body(node, "/v1/chat/completions")["model"]) == ("loaded:latest",) * 2


def test_of_models_that_all_must_be_loaded_the_primary_is_loaded(fleet: Fleet, node: Running) -> None:
    headers = fleet.ask("first", fallback_models=["second"]).headers
    assert (headers["x-fleet-fallback"], headers["x-fleet-served-model"]) == ("false", "first:latest")
    assert node.node.seen.loads["second:latest"] == 0


def test_a_primary_that_nobody_has_is_passed_over(fleet: Fleet, node: Running) -> None:
    headers = fleet.ask("nowhere", fallback_models=["nowhere-else", "qwen2.5:7b", "cold"]).headers
    assert (headers["x-fleet-fallback"], headers["x-fleet-served-model"]) == ("true", "qwen2.5:7b")


def test_nothing_is_substituted_that_nobody_asked_for(fleet: Fleet, node: Running) -> None:
    assert [fleet.ask(name).status for name in ("nowhere", "qwen2.5", "qwen2.5:7b-instruct")] == [404, 404, 404]


def test_no_request_carries_the_words_of_a_fallback_that_it_did_not_need(fleet: Fleet, node: Running) -> None:
    answer = fleet.ask("Loaded", fallback_models=["cold"])
    assert (answer.json()["model"], last_body(node)["model"], answer.headers["x-fleet-fallback"]) == (
        *("Loaded", "Loaded"),
        "false",
    )
