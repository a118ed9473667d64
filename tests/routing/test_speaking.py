"""A node gets the client's own bytes if it speaks the client's dialect; else both ways are translated."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import orjson
import pytest

from nodes.core.values import DiskModel, NodeSnapshot
from routing import speaking
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.upstreams import Head
from routing.upstreams.base import Over
from tests.routing.factories import MODEL, node, request
from tests.routing.translation.answered import ollama

OLD = node(version="0.12.0")
OTHER = node(engine="openai")
HI = ollama({"content": "Hi"}, {}, done_reason="stop", prompt_eval_count=1, eval_count=1)


class Engine:
    """An engine that answers with these parts, and remembers what it was sent."""

    def __init__(self, *parts: Head | bytes) -> None:
        self.parts = parts
        self.sent: InferenceRequest | None = None
        self.over: Over = bool

    async def stream(
        self, node: NodeSnapshot, request: InferenceRequest, model: str, over: Over
    ) -> AsyncGenerator[Head | bytes, None]:
        self.sent, self.over = request, over
        for part in self.parts:
            yield part

    @property
    def body(self) -> Mapping[str, Any]:
        """The body that it was sent."""
        assert self.sent is not None
        said: Mapping[str, Any] = orjson.loads(self.sent.body)
        return said


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The engine of every node; says hi."""
    ours = Engine(Head(200, ()), HI)
    monkeypatch.setattr(speaking, "upstream_for", lambda node: ours)
    return ours


async def told(where: NodeSnapshot, asked: InferenceRequest) -> list[Head | bytes]:
    """All parts of an answer."""
    return [part async for part in speaking.answered(where, asked, MODEL, bool)]


def message(**more: Any) -> InferenceRequest:
    return request("/v1/messages", max_tokens=5, **more)


async def test_a_node_that_speaks_the_dialect_gets_the_request_itself(engine: Engine) -> None:
    asked = request("/api/chat")
    assert (await told(OLD, asked), engine.sent) == ([Head(200, ()), HI], asked)


async def test_a_node_that_does_not_gets_its_own_route(engine: Engine) -> None:
    await told(OLD, message(stream=True))
    assert engine.sent is not None
    assert (engine.sent.path, engine.sent.stream) == ("/api/chat", True)


async def test_a_whole_answer_is_one_head(engine: Engine) -> None:
    [head] = await told(OLD, message())
    assert isinstance(head, Head) and head.body is not None
    assert orjson.loads(head.body)["content"] == [{"type": "text", "text": "Hi"}]


async def test_the_head_waits_for_what_means_something(engine: Engine) -> None:
    engine.parts = (Head(200, ()), HI[:20])
    with pytest.raises(UpstreamFailed, match="no JSON"):
        async for part in speaking.answered(OLD, message(stream=True), MODEL, bool):
            pytest.fail(f"{part!r} was told of an answer that had not begun")


async def test_what_came_before_a_break_is_told(engine: Engine) -> None:
    engine.parts = (Head(200, ()), ollama({"content": "Hi"}) + b'{"error":"boom"}\n')
    parts = []
    with pytest.raises(UpstreamFailed, match="boom"):
        async for part in speaking.answered(OLD, message(stream=True), MODEL, bool):
            parts.append(part)
    assert len(parts) == 2


async def test_an_engine_has_said_its_last_word_with_its_terminal_line(engine: Engine) -> None:
    await told(OLD, message(stream=True))
    assert engine.over()


async def test_an_engines_error_is_told_in_the_clients_dialect(engine: Engine) -> None:
    engine.parts = (Head(400, (), b'{"error":"too long"}'),)
    [head] = await told(OLD, message(stream=True))
    assert isinstance(head, Head) and head.body is not None
    assert (head.status, orjson.loads(head.body)["error"]["message"]) == (400, "too long")


async def test_what_a_node_can_not_be_told_is_worth_another_node(engine: Engine) -> None:
    with pytest.raises(UpstreamFailed) as failed:
        await told(OTHER, request("/api/generate", prompt="x", raw=True))
    assert (failed.value.retryable, failed.value.against) == (True, False)
    assert failed.value.refusal is not None and failed.value.refusal.status == 400


async def test_the_head_and_the_decision_say_what_was_done(engine: Engine) -> None:
    head, *_ = await told(OLD, message(stream=True, thinking={"type": "enabled", "budget_tokens": 1024}))
    assert isinstance(head, Head)
    assert (b"x-fleet-dropped", b"thinking.budget_tokens") in head.headers
    assert head.note == "translated to /api/chat; dropped: thinking.budget_tokens"


async def test_the_name_of_a_field_can_not_end_a_header(engine: Engine) -> None:
    head, *_ = await told(OLD, message(stream=True, **{"a\r\nb: ü": 1}))
    assert isinstance(head, Head)
    assert (b"x-fleet-dropped", b"a??b???") in head.headers


async def test_a_header_does_not_name_fields_without_end(engine: Engine) -> None:
    head, *_ = await told(OLD, message(stream=True, **{f"{number}{'x' * 1000}": 1 for number in range(1000)}))
    assert isinstance(head, Head)
    assert sum(len(value) for _, value in head.headers) < 4000


@pytest.mark.parametrize(("says", "thinks"), [(None, True), ({"completion"}, False), ({"thinking"}, True)])
async def test_a_model_that_its_node_says_can_not_think_is_not_asked_to(
    engine: Engine, says: set[str] | None, thinks: bool
) -> None:
    known = {MODEL: DiskModel(MODEL, capabilities=frozenset(says) if says else None)}
    await told(node(version="0.12.0", on_disk=known), message(thinking={"type": "enabled"}))
    assert engine.body["think"] is thinks


async def test_vectors_are_translated_whole(engine: Engine) -> None:
    engine.parts = (Head(200, (), b'{"data":[{"index":0,"embedding":[0.5]}]}'),)
    [head] = await told(OTHER, request("/api/embed", input="a"))
    assert isinstance(head, Head) and head.body is not None
    assert orjson.loads(head.body)["embeddings"] == [[0.5]]


async def test_an_error_in_place_of_vectors_stays_one(engine: Engine) -> None:
    engine.parts = (Head(501, (), b'{"error":{"message":"no embeddings here"}}'),)
    [head] = await told(OTHER, request("/api/embed", input="a"))
    assert isinstance(head, Head) and head.body == b'{"error":"no embeddings here"}'


async def test_vectors_that_can_not_be_asked_for_are_worth_another_node(engine: Engine) -> None:
    with pytest.raises(UpstreamFailed, match="nothing to load"):
        await told(OTHER, request("/api/embed", input=[]))
