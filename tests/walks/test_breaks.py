"""Answers that break after their first byte: the client is told in its own dialect, and nobody is asked again."""

import ollama
import openai
import pytest

from tests.walks.calls import CHATS, DIALECTS, GENERATING, PATHS
from tests.walks.scenes import Fleet

KINDS = ("torn", "error", "silent")
TERMINAL = (b"[DONE]", b'"done":true', b'"finish_reason":"', b"message_stop", b"response.completed")
kinds = pytest.mark.parametrize("kind", KINDS)


def broken(fleet: Fleet, name: str, kind: str) -> None:
    """The next answer of this node breaks after three tokens."""
    one = fleet[name]
    one.do(lambda: one.node.faults.break_streams(kind, after=3, times=1))


@kinds
@pytest.mark.parametrize("path", GENERATING)
def test_a_stream_that_breaks_never_looks_finished(fleet: Fleet, model: str, path: str, kind: str) -> None:
    broken(fleet, "first", kind)
    answer = fleet.ask(path, model, stream=True)
    assert answer.status == 200
    assert not any(mark in answer.body for mark in TERMINAL)
    assert b'"error"' in answer.body.rstrip().splitlines()[-1]


@kinds
@pytest.mark.parametrize("path", DIALECTS)
def test_a_stream_that_breaks_is_recorded_and_not_asked_for_again(
    fleet: Fleet, model: str, path: str, kind: str
) -> None:
    asked = {name: one.node.seen.requests[path] for name, one in fleet.nodes.items()}
    broken(fleet, "first", kind)
    decision = fleet.decision(fleet.ask(path, model, stream=True))
    assert (decision["outcome"], decision["node"], decision["retries"]) == ("upstream_failed", "first", 0)
    assert decision["reason"]
    asked["first"] += 1
    assert {name: one.node.seen.requests[path] for name, one in fleet.nodes.items()} == asked


@kinds
def test_the_official_openai_client_raises_after_the_tokens_it_got(fleet: Fleet, model: str, kind: str) -> None:
    broken(fleet, "first", kind)
    assert _openai_tokens(fleet, model) == 3


@kinds
def test_so_it_does_for_an_engine_that_speaks_only_openai(fleet: Fleet, cpp_model: str, kind: str) -> None:
    broken(fleet, "cpp", kind)
    assert _openai_tokens(fleet, cpp_model) == 3


@kinds
def test_the_official_ollama_client_raises_after_the_tokens_it_got(fleet: Fleet, model: str, kind: str) -> None:
    broken(fleet, "first", kind)
    got = []
    with pytest.raises(ollama.ResponseError):
        for part in ollama.Client(fleet.router.url).chat(model, PATHS["/api/chat"]["messages"], stream=True):
            got.append(part.message.content)
    assert len(got) == 3


@kinds
@pytest.mark.parametrize("path", CHATS)
def test_three_broken_streams_suspend_the_node_for_this_model(fleet: Fleet, model: str, path: str, kind: str) -> None:
    for _ in range(3):
        broken(fleet, "first", kind)
        assert fleet.ask(path, model, stream=True).node == "first"
    answer = fleet.ask(path, model, stream=True)
    assert answer.node == "second"
    assert {"node": "first", "model": f"{model}:latest", "reason": "unhealthy"} in fleet.decision(answer)["eliminated"]


def _openai_tokens(fleet: Fleet, model: str) -> int:
    """How many tokens came before it raised."""
    got = []
    with openai.OpenAI(base_url=f"{fleet.router.url}/v1", api_key="none", max_retries=0) as client:
        stream = client.chat.completions.create(
            model=model, messages=PATHS["/v1/chat/completions"]["messages"], stream=True
        )
        with pytest.raises(openai.APIError):
            for chunk in stream:
                got.extend(c.delta.content for c in chunk.choices if c.delta.content)
    return len(got)
