"""Engines that fail before the first byte: the client hears of it only when nobody is left to ask."""

import json
from collections.abc import Iterator
from functools import partial

import pytest

from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.walks.calls import CHATS
from tests.walks.scenes import MACHINE, NODES, Fleet
from tests.walks.scripted import CHAT, Script

ELSEWHERE = {
    "busy": (503, "server busy, please try again.  maximum pending requests exceeded"),
    "limited": (429, "too many requests"),
    "bad gateway": (502, "bad gateway"),
    "gateway timeout": (504, "gateway timeout"),
    "stale inventory": (404, "model 'it' not found"),
    "runner died": (500, "llama runner process has terminated: exit status 2"),
    "too big": (500, "model requires more system memory (9.1 GiB) than is available (3.2 GiB)"),
}
PASSED = {"their fault": (400, "invalid options: warmth"), "other": (500, "something else went wrong")}
both = pytest.mark.parametrize("path", CHATS)
streams = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
TORN = tuple(f"torn-{number}" for number in range(12))
ENDINGS = {
    "/api/chat": b'{"done":true}\n',
    "/v1/chat/completions": b'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
}


@pytest.fixture(scope="module")
def _fragile(steady: Fleet) -> Iterator[Running]:
    """A node that tears every connection, so that none is ever kept; and `sturdy`, which is asked after it."""
    models = ",".join(f"{name}=1" for name in TORN)
    with running(SimulatedNode(models, MACHINE)) as fragile, running(SimulatedNode(models, MACHINE)) as sturdy:
        steady.enrol(
            ("fragile", fragile.url, "ollama", {"bandwidth_gbps": 10}),
            ("sturdy", sturdy.url, "ollama", {"bandwidth_gbps": 800}),
        )
        yield fragile


@pytest.fixture
def fragile(_fragile: Running) -> Running:
    """The node that tears every connection, before its first byte unless told otherwise."""
    _fragile.do(_fragile.node.faults.heal)
    _fragile.do(lambda: _fragile.node.faults.break_streams("torn", after=0))
    return _fragile


@pytest.fixture(scope="module")
def _torn_models() -> Iterator[str]:
    return iter(TORN)


@pytest.fixture
def torn_model(_torn_models: Iterator[str]) -> str:
    """A model of that pair that nobody asked for."""
    return next(_torn_models)


@both
@streams
@pytest.mark.parametrize("refusal", ELSEWHERE)
def test_what_one_engine_refuses_the_next_answers(
    fleet: Fleet, model: str, path: str, stream: bool, refusal: str
) -> None:
    first = fleet["first"]
    first.do(lambda: first.node.faults.answer(*ELSEWHERE[refusal]))
    answer = fleet.ask(path, model, stream=stream)
    assert (answer.status, answer.node, answer.headers["x-fleet-retries"]) == (200, "second", "1")
    decision = fleet.decision(answer)
    assert (decision["outcome"], decision["retries"]) == ("completed", 1)
    assert [attempt["node"] for attempt in decision["attempts"]] == ["first"]


@both
@streams
@pytest.mark.parametrize("refusal", PASSED)
def test_what_the_client_must_hear_passes_unchanged_and_is_not_retried(
    fleet: Fleet, model: str, path: str, stream: bool, refusal: str
) -> None:
    first = fleet["first"]
    status, words = PASSED[refusal]
    first.do(lambda: first.node.faults.answer(status, b'{"odd" : "%s"}' % words.encode()))
    answer = fleet.ask(path, model, stream=stream)
    assert (answer.status, answer.body) == (status, b'{"odd" : "%s"}' % words.encode())
    assert (answer.node, answer.headers["x-fleet-retries"]) == ("first", "0")
    assert fleet.decision(answer)["outcome"] == ("invalid" if status == 400 else "upstream_failed")


@both
@streams
def test_a_node_that_refuses_the_connection_is_passed_over(fleet: Fleet, model: str, path: str, stream: bool) -> None:
    fleet["first"].do(fleet["first"].node.refuse)
    answer = fleet.ask(path, model, stream=stream)
    assert (answer.status, answer.node) == (200, "second")
    decision = fleet.decision(answer)
    met = {attempt["node"] for attempt in decision["attempts"]}
    known = {e["node"] for e in decision["eliminated"] if e["reason"] == "unreachable"}  # it was read just now
    assert met | known == {"first"}


@both
@streams
def test_an_engine_that_breaks_off_before_its_first_byte_is_asked_once(
    fleet: Fleet, fragile: Running, torn_model: str, path: str, stream: bool
) -> None:
    before = fragile.node.seen.requests[path]
    answer = fleet.ask(path, torn_model, stream=stream)
    assert (answer.status, answer.node, answer.headers["x-fleet-retries"]) == (200, "sturdy", "1")
    assert fragile.node.seen.requests[path] == before + 1


@both
def test_a_whole_answer_that_is_torn_is_given_whole_by_the_next(
    fleet: Fleet, fragile: Running, torn_model: str, path: str
) -> None:
    fragile.do(lambda: fragile.node.faults.break_streams("torn", after=3))
    answer = fleet.ask(path, torn_model)
    assert (answer.status, answer.node) == (200, "sturdy")
    assert len(_text(path, answer.body).split()) == 12


@both
def test_a_kept_connection_that_the_engine_had_closed_is_no_failure(fleet: Fleet, script: Script, path: str) -> None:
    script.says(ENDINGS[path])
    fleet.ask(path, CHAT, stream=True)
    script.hang_ups = 1
    answer = fleet.ask(path, CHAT, stream=True)
    assert (answer.status, answer.headers["x-fleet-retries"], fleet.decision(answer)["attempts"]) == (200, "0", [])
    assert len(script.sent) == 3


@both
@pytest.mark.parametrize("kind", ["error", "silent"])
def test_a_stream_that_ends_before_its_first_byte_begins_elsewhere(
    fleet: Fleet, model: str, path: str, kind: str
) -> None:
    first = fleet["first"]
    first.do(lambda: first.node.faults.break_streams(kind, after=0, times=1))
    answer = fleet.ask(path, model, stream=True)
    assert (answer.status, answer.node, fleet.decision(answer)["outcome"]) == (200, "second", "completed")


@both
@pytest.mark.parametrize("kind", ["error", "silent"])
def test_a_whole_answer_that_breaks_is_given_whole_by_the_next(fleet: Fleet, model: str, path: str, kind: str) -> None:
    first = fleet["first"]
    first.do(lambda: first.node.faults.break_streams(kind, after=3, times=1))
    answer = fleet.ask(path, model)
    assert (answer.status, answer.node) == (200, "second")
    assert len(_text(path, answer.body).split()) == 12


@both
@streams
def test_at_most_three_engines_are_asked(fleet: Fleet, model: str, path: str, stream: bool) -> None:
    before = {name: fleet[name].node.seen.requests[path] for name in NODES}
    for name in NODES:
        fleet[name].do(partial(fleet[name].node.faults.answer, 502, "bad gateway"))
    answer = fleet.ask(path, model, stream=stream)
    asked = {name: fleet[name].node.seen.requests[path] - before[name] for name in NODES}
    assert asked == {"first": 1, "second": 1, "third": 1, "fourth": 0}
    assert answer.status == 502
    assert "third answered 502" in answer.error
    decision = fleet.decision(answer)
    assert (decision["outcome"], decision["status"], decision["retries"]) == ("upstream_failed", 502, 2)
    assert [attempt["node"] for attempt in decision["attempts"]] == ["first", "second", "third"]


@both
def test_a_fleet_that_is_all_busy_says_when_to_come_back(fleet: Fleet, model: str, path: str) -> None:
    for one in fleet.nodes.values():
        one.do(partial(one.node.faults.answer, 503, "server busy"))
    answer = fleet.ask(path, model)
    assert (answer.status, answer.headers.get("retry-after")) == (502, "5")
    assert fleet.decision(answer)["outcome"] == "upstream_failed"


def test_a_missing_model_is_looked_for_again(fleet: Fleet, model: str) -> None:
    first = fleet["first"]
    before = first.node.seen.requests["/api/tags"]
    first.do(lambda: first.node.faults.answer(404, f"model '{model}' not found"))
    fleet.ask("/api/chat", model)
    first.wait_for(lambda: first.node.seen.requests["/api/tags"] > before)


def _text(path: str, body: bytes) -> str:
    said = json.loads(body)
    message = said["message"] if path == "/api/chat" else said["choices"][0]["message"]
    return str(message["content"])
