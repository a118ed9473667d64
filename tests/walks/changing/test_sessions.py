"""Conversations: the next turn goes where the last one was really served."""

import pytest

from tests.walks.calls import Answer
from tests.walks.changing.parts import Fleet, Planned

TURNS = {"X-Fleet-Session": "a long talk"}


@pytest.fixture(scope="module", autouse=True)
def nodes(fleet: Fleet) -> None:
    """Two nodes that are alike, with every model in memory."""
    models = ("talk", "chat", "gossip")
    for node in fleet.add(*(Planned(name, ",".join(f"{model}=1" for model in models)) for name in ("left", "right"))):
        fleet.warm(node, *models)


def affinities(answers: list[Answer]) -> list[str]:
    return [answer.headers["x-fleet-affinity"] for answer in answers]


def test_the_next_turns_go_to_the_same_node_though_another_is_as_good(fleet: Fleet) -> None:
    turns = [fleet.ask("talk", headers=TURNS) for _ in range(3)]
    assert (len({turn.node for turn in turns}), affinities(turns)) == (1, ["new", "matched", "matched"])


def test_requests_of_no_session_are_spread(fleet: Fleet) -> None:
    others = [fleet.ask("talk", messages=[{"role": "user", "content": str(turn)}]) for turn in range(2)]
    assert ({other.node for other in others}, affinities(others)) == ({"left", "right"}, ["new", "new"])


def test_a_session_is_the_same_as_long_as_its_conversation_begins_alike(fleet: Fleet) -> None:
    begin = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    later = [{"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "How are you?"}]
    turns = [fleet.ask("talk", messages=begin), fleet.ask("talk", messages=[*begin, *later])]
    assert (turns[0].node == turns[1].node, affinities(turns)) == (True, ["new", "matched"])


def test_a_session_of_one_model_says_nothing_of_another(fleet: Fleet) -> None:
    headers = {"X-Fleet-Session": "two models"}
    assert affinities([fleet.ask(model, headers=headers) for model in ("talk", "chat")]) == ["new", "new"]


def test_after_a_retry_the_session_stays_where_it_was_really_served(fleet: Fleet) -> None:
    headers = {"X-Fleet-Session": "a bumpy talk"}
    first = fleet.ask("gossip", headers=headers)
    node = fleet.nodes[first.node]
    node.do(lambda: node.node.faults.answer(503, "server busy"))
    second, third = (fleet.ask("gossip", headers=headers) for _ in range(2))
    assert second.headers["x-fleet-retries"] == "1" and second.node != first.node
    assert (third.node, affinities([second, third])) == (second.node, ["new", "matched"])
