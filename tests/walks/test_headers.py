"""What an answer says of its decision, and what the decision says of the request."""

import http.client
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conftest import until
from tests.walks.calls import CHATS, JSON, asking, post
from tests.walks.scenes import Fleet

SIGNALS = {
    "model_warmth", "memory_fit", "queue_depth", "wait_time",
    "role_affinity", "availability_trend", "context_fit", "session_affinity",
}  # fmt: skip
both = pytest.mark.parametrize("path", CHATS)
streams = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@both
@streams
def test_an_answer_names_its_node_score_model_and_decision(fleet: Fleet, model: str, path: str, stream: bool) -> None:
    answer = fleet.ask(path, model, stream=stream)
    told = {name: value for name, value in answer.headers.items() if name.startswith("x-fleet-")}
    decision = fleet.decision(answer)
    assert told == {
        "x-fleet-node": "first",
        "x-fleet-score": f"{decision['score']:.2f}",
        "x-fleet-served-model": f"{model}:latest",
        "x-fleet-fallback": "false",
        "x-fleet-retries": "0",
        "x-fleet-affinity": "new",
        "x-fleet-queue-wait-ms": "0",
        "x-fleet-decision": decision["id"],
    }


@both
def test_a_stream_is_never_held_back_by_a_proxy(fleet: Fleet, model: str, path: str) -> None:
    assert fleet.ask(path, model, stream=True).headers["x-accel-buffering"] == "no"


@both
@streams
def test_the_decision_says_what_was_asked_and_what_it_took(fleet: Fleet, model: str, path: str, stream: bool) -> None:
    decision = fleet.decision(fleet.ask(path, model, stream=stream, tokens=5, stream_options={"include_usage": True}))
    said = {"dialect", "path", "stream", "requested_model", "served_model", "node", "outcome", "status"}
    assert {name: decision[name] for name in said} == {
        "dialect": "ollama" if path.startswith("/api") else "openai",
        "path": path,
        "stream": stream,
        "requested_model": model,
        "served_model": f"{model}:latest",
        "node": "first",
        "outcome": "completed",
        "status": 200,
    }
    assert decision["completion_tokens"] == 5
    assert decision["prompt_tokens"] > 5
    assert 0 < decision["first_token_ms"] <= decision["total_ms"]
    assert (decision["held_ms"], decision["retries"], decision["moves"], decision["attempts"]) == (0, 0, 0, [])


@both
def test_eight_signals_add_up_to_the_score_of_every_candidate(fleet: Fleet, model: str, path: str) -> None:
    decision = fleet.decision(fleet.ask(path, model))
    candidates: list[dict[str, Any]] = decision["candidates"]
    assert [c["node"] for c in candidates] == ["first", "second", "third", "fourth"]
    assert all(set(c["signals"]) == SIGNALS for c in candidates)
    assert all(c["score"] == pytest.approx(sum(c["signals"].values()), abs=1e-9) for c in candidates)
    assert decision["score"] == candidates[0]["score"]
    assert {e["node"]: e["reason"] for e in decision["eliminated"]}["alone"] == "model_absent"


@both
def test_the_decision_is_there_while_the_stream_runs(fleet: Fleet, model: str, path: str) -> None:
    call = fleet.call(path, model, stream=True, tokens=100_000)
    decision = call.response.headers["X-Fleet-Decision"]
    running = fleet.look(f"decisions/{decision}")
    assert (running["outcome"], running["node"], running["total_ms"]) == (None, "first", None)
    call.leave()
    until(lambda: fleet.look(f"decisions/{decision}")["outcome"] == "client_gone")


@both
def test_a_request_without_an_answer_has_a_decision_too(fleet: Fleet, path: str) -> None:
    answer = fleet.ask(path, "nobody-has-this")
    assert (answer.status, answer.error) == (404, "model 'nobody-has-this' not found")
    assert "x-fleet-node" not in answer.headers
    assert fleet.decision(answer)["outcome"] == "unknown_model"


@both
def test_a_second_turn_finds_its_way_back(fleet: Fleet, model: str, path: str) -> None:
    asked, named = asking(path, model), JSON | {"X-Fleet-Session": model}
    assert post(fleet.router.url, path, asked, named).headers["x-fleet-affinity"] == "new"
    assert post(fleet.router.url, path, asked, named).headers["x-fleet-affinity"] == "matched"


@both
def test_a_fallback_that_answers_says_so(fleet: Fleet, model: str, path: str) -> None:
    answer = fleet.ask(path, "nobody-has-this", fallback_models=[model])
    assert (answer.status, answer.headers["x-fleet-fallback"]) == (200, "true")
    assert answer.headers["x-fleet-served-model"] == f"{model}:latest"
    assert fleet.decision(answer)["requested_model"] == "nobody-has-this"


@both
def test_a_wait_in_a_queue_is_told(fleet: Fleet, lone_model: str, path: str) -> None:
    alone = fleet["alone"]
    ahead = fleet.call(path, lone_model, stream=True, tokens=100_000)
    assert ahead.line()
    behind = fleet.call(path, lone_model)
    until(lambda: fleet.queues(lone_model) == {"alone": (1, 1)})
    ahead.leave()
    answer = behind.answer()
    assert int(answer.headers["x-fleet-queue-wait-ms"]) > 0
    waited = fleet.decision(answer)["queue_ms"]
    assert round(waited) == int(answer.headers["x-fleet-queue-wait-ms"])
    assert alone.node.seen.generating.peak[f"{lone_model}:latest"] == 1


def test_a_connection_serves_on_after_failures(fleet: Fleet, model: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(fleet.router.url).netloc, timeout=10)
    statuses = []
    for path in CHATS:
        for body in (b"{", b"[]", asking(path, "nobody-has-it"), asking(path, model)):
            connection.request("POST", path, body, JSON)
            answer = connection.getresponse()
            statuses.append((answer.status, bool(answer.read()), answer.will_close))
    connection.close()
    assert statuses == [(400, True, False), (400, True, False), (404, True, False), (200, True, False)] * len(CHATS)


def test_one_connection_carries_many_requests(fleet: Fleet, model: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(fleet.router.url).netloc, timeout=10)
    for path in (*CHATS, *CHATS):
        connection.request("POST", path, asking(path, model, stream=True), JSON)
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
    connection.close()
