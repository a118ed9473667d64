"""A context that clients ask for, and a prompt that an engine cuts."""

import pytest

from nodes.simulated.machine import DEFAULT_CONTEXT
from tests.walks.scenes import Fleet

SMALLER, LARGER = DEFAULT_CONTEXT // 2, DEFAULT_CONTEXT * 2


def sent(fleet: Fleet, model: str) -> list[dict[str, object]]:
    """The options of each chat about this model that came to the node `alone`."""
    return [b.get("options", {}) for b in fleet["alone"].node.seen.bodies("/api/chat") if b["model"] == model]


def ask(fleet: Fleet, model: str, context: int, **more: object) -> dict[str, str]:
    """The headers of an answered chat that asks for this context."""
    answer = fleet.ask("/api/chat", model, options={"num_ctx": context, "num_predict": 2}, **more)
    assert answer.status == 200
    return dict(answer.headers)


def loads(fleet: Fleet, model: str) -> int:
    """How often the node `alone` loaded this model."""
    return fleet["alone"].node.seen.loads[f"{model}:latest"]


def test_a_context_that_is_not_above_the_loaded_one_is_dropped(fleet: Fleet, lone_model: str) -> None:
    fleet.warm(lone_model, "alone")
    headers = ask(fleet, lone_model, SMALLER)
    assert (sent(fleet, lone_model), loads(fleet, lone_model)) == ([{"num_predict": 2}], 1)
    assert "x-fleet-context-reload" not in headers


def test_a_context_above_the_loaded_one_is_kept_and_told(fleet: Fleet, lone_model: str) -> None:
    fleet.warm(lone_model, "alone")
    headers = ask(fleet, lone_model, LARGER)
    assert sent(fleet, lone_model)[-1]["num_ctx"] == LARGER
    assert (headers["x-fleet-context-reload"], headers["x-fleet-context-overflow"]) == ("true", "true")


def test_a_model_is_loaded_once_for_a_client_that_always_names_the_same_context(fleet: Fleet, lone_model: str) -> None:
    for _ in range(3):
        ask(fleet, lone_model, LARGER)
        fleet.settle(lone_model, LARGER)
    assert loads(fleet, lone_model) == 1


def test_how_long_a_model_stays_is_the_clients_word(fleet: Fleet, lone_model: str) -> None:
    fleet.warm(lone_model, "alone")
    ask(fleet, lone_model, SMALLER, keep_alive="7m")
    assert fleet["alone"].node.seen.bodies("/api/chat")[-1]["keep_alive"] == "7m"


@pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions"])
def test_a_prompt_that_the_engine_cut_is_marked_in_the_decision(fleet: Fleet, lone_model: str, path: str) -> None:
    fleet.warm(lone_model, "alone")
    prompt = [{"role": "user", "content": "the quick brown fox jumps over the lazy dog " * 2000}]
    told = fleet.decision(fleet.ask(path, lone_model, messages=prompt, tokens=2))
    assert (told["outcome"], told["reason"].startswith("suspected truncation: the engine counted")) == (
        "completed",
        True,
    )


def test_a_prompt_that_was_read_whole_is_not_marked(fleet: Fleet, lone_model: str) -> None:
    fleet.warm(lone_model, "alone")
    prompt = [{"role": "user", "content": "the quick brown fox jumps over the lazy dog " * 200}]
    assert fleet.decision(fleet.ask("/api/chat", lone_model, messages=prompt, tokens=2))["reason"] == ""
