"""The official clients of four dialects, answered by engines that lack their routes."""

from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import ollama
import openai
import pytest

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.nodes.simulated import raw

HELLO: Any = raw.HELLO
WEATHER: Any = raw.WEATHER
NESTED: Any = raw.WEATHER_TOOL
PARAMETERS: dict[str, Any] = NESTED["function"]["parameters"]
TOOL: Any = {"name": "get_weather", "input_schema": PARAMETERS}
FLAT: Any = {"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": False}
OLD, CPP, VECTORS = "qwen2.5:7b", "llama-cpp", "bge-m3"
BERLIN = {"city": "Berlin"}
BREAKS = ("error", "torn", "silent")


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that bears many failures before it suspends a node."""
    with routers(tmp_path_factory.mktemp("translated")) as start:
        yield start(FLEET_CIRCUIT_FAILURES="100")


@pytest.fixture(scope="module")
def nodes(router: Router) -> Iterator[dict[str, Running]]:
    """An Ollama from before messages and responses, and llama.cpps, by their models."""
    with (
        running(SimulatedNode(f"{OLD}=4.7", Machine(version="0.12.0"))) as old,
        running(SimulatedNode(f"{CPP}=1", Machine(engine="openai"))) as cpp,
        running(SimulatedNode(f"{VECTORS}=1/embedding", Machine(engine="openai"))) as vectors,
    ):
        router.manage("node", "add", "old", old.url)
        router.manage("node", "add", "cpp", cpp.url, "--engine", "openai")
        router.manage("node", "add", "vectors", vectors.url, "--engine", "openai")
        until(lambda: len(router.get("/api/tags")["models"]) == 3)  # type: ignore[index, call-overload]
        yield {OLD: old, CPP: cpp}


@pytest.fixture
def engines(nodes: dict[str, Running]) -> Iterator[dict[str, Running]]:
    """The engine of each model; its faults end with the test."""
    yield nodes
    for one in nodes.values():
        one.do(one.node.faults.heal)


@pytest.fixture
def claude(router: Router, engines: dict[str, Running]) -> Iterator[anthropic.Anthropic]:
    """Anthropic's client, which shall not repeat anything itself."""
    with anthropic.Anthropic(base_url=router.url, api_key="none", max_retries=0) as sdk:
        yield sdk


@pytest.fixture
def v1(router: Router, engines: dict[str, Running]) -> Iterator[openai.OpenAI]:
    """OpenAI's client, likewise."""
    with openai.OpenAI(base_url=f"{router.url}/v1", api_key="none", max_retries=0) as sdk:
        yield sdk


@pytest.fixture
def llama(router: Router, engines: dict[str, Running]) -> ollama.Client:
    """Ollama's own client."""
    return ollama.Client(router.url)


def breaks(engine: Running, kind: str) -> None:
    """The next answer breaks after two tokens."""
    engine.do(lambda: engine.node.faults.break_streams(kind, after=2, times=1))


class TestAnthropicOnAnOldOllama:
    def test_gets_a_whole_message(self, claude: anthropic.Anthropic) -> None:
        answer = claude.messages.create(model=OLD, max_tokens=3, messages=HELLO)
        assert (answer.stop_reason, answer.usage.output_tokens, answer.model) == ("max_tokens", 3, OLD)

    def test_streams_a_message(self, claude: anthropic.Anthropic) -> None:
        with claude.messages.stream(model=OLD, max_tokens=3, messages=HELLO) as stream:
            assert len(list(stream.text_stream)) == 3
            assert stream.get_final_message().stop_reason == "max_tokens"

    def test_uses_a_tool_and_hears_what_comes_of_it(
        self, claude: anthropic.Anthropic, engines: dict[str, Running]
    ) -> None:
        call: Any = claude.messages.create(model=OLD, max_tokens=50, messages=WEATHER, tools=[TOOL]).content[0]
        assert (call.type, call.input) == ("tool_use", BERLIN)
        result: Any = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]}
        turns: Any = [*WEATHER, {"role": "assistant", "content": [call.model_dump()]}, result]
        claude.messages.create(model=OLD, max_tokens=50, messages=turns, tools=[TOOL])
        sent = engines[OLD].node.seen.bodies("/api/chat")[-1]["messages"]
        assert sent[-1] == {"role": "tool", "content": "rain", "tool_call_id": call.id, "tool_name": "get_weather"}

    def test_never_reaches_the_route_that_is_missing(self, engines: dict[str, Running]) -> None:
        assert not engines[OLD].node.seen.requests["/v1/messages"]

    @pytest.mark.parametrize("kind", BREAKS)
    def test_raises_when_a_stream_breaks(
        self, claude: anthropic.Anthropic, engines: dict[str, Running], kind: str
    ) -> None:
        breaks(engines[OLD], kind)
        with claude.messages.stream(model=OLD, max_tokens=9, messages=HELLO) as stream:
            texts = stream.text_stream
            assert next(texts) and next(texts)
            with pytest.raises(anthropic.APIStatusError, match=r"terminal line|broke off|running the model"):
                list(texts)

    def test_hears_the_engines_own_refusal(self, claude: anthropic.Anthropic, engines: dict[str, Running]) -> None:
        engines[OLD].do(lambda: engines[OLD].node.faults.answer(400, "too long"))
        with pytest.raises(anthropic.BadRequestError, match="too long"):
            claude.messages.create(model=OLD, max_tokens=3, messages=HELLO)


class TestResponsesOnAnOldOllama:
    def test_gets_a_whole_response(self, v1: openai.OpenAI) -> None:
        answer = v1.responses.create(model=OLD, input="Hello", max_output_tokens=3)
        assert answer.output_text and answer.usage and answer.usage.output_tokens == 3

    def test_hears_that_it_was_cut(self, v1: openai.OpenAI) -> None:
        assert v1.responses.create(model=OLD, input="Hello", max_output_tokens=3).status == "incomplete"

    def test_streams_the_call_of_a_tool(self, v1: openai.OpenAI) -> None:
        with v1.responses.stream(model=OLD, input=WEATHER, tools=[FLAT]) as events:
            output = events.get_final_response().output
        assert [item.name for item in output if item.type == "function_call"] == ["get_weather"]

    @pytest.mark.parametrize("kind", BREAKS)
    def test_raises_when_a_stream_breaks(self, v1: openai.OpenAI, engines: dict[str, Running], kind: str) -> None:
        breaks(engines[OLD], kind)
        events = v1.responses.create(model=OLD, input="Hello", max_output_tokens=9, stream=True)
        with pytest.raises(openai.APIError, match=r"terminal line|broke off|running the model"):
            list(events)


class TestOllamaOnALlamaCpp:
    def test_chats(self, llama: ollama.Client) -> None:
        answer = llama.chat(CPP, HELLO, options={"num_predict": 3})
        assert (answer.done_reason, answer.eval_count, answer.model) == ("length", 3, CPP)

    def test_streams_a_chat(self, llama: ollama.Client) -> None:
        parts = list(llama.chat(CPP, HELLO, stream=True, options={"num_predict": 3}))
        assert [part.done for part in parts] == [False, False, False, True]

    def test_generates(self, llama: ollama.Client) -> None:
        assert llama.generate(CPP, "Hello").response

    def test_calls_a_tool(self, llama: ollama.Client) -> None:
        calls = llama.chat(CPP, WEATHER, tools=[NESTED]).message.tool_calls
        assert calls and calls[0].function.arguments == BERLIN

    def test_gets_vectors(self, llama: ollama.Client) -> None:
        assert len(llama.embed(VECTORS, ["a", "b"]).embeddings) == 2

    def test_is_told_what_this_engine_can_not_do(self, llama: ollama.Client) -> None:
        with pytest.raises(ollama.ResponseError, match="raw: only an Ollama node can do this") as refused:
            llama.generate(CPP, "Hello", raw=True)
        assert refused.value.status_code == 400

    @pytest.mark.parametrize("kind", BREAKS)
    def test_raises_when_a_stream_breaks(self, llama: ollama.Client, engines: dict[str, Running], kind: str) -> None:
        breaks(engines[CPP], kind)
        with pytest.raises(ollama.ResponseError, match=r"terminal line|broke off|running the model"):
            list(llama.chat(CPP, HELLO, stream=True))


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_gives_up_leaves_nothing_running(
    claude: anthropic.Anthropic, engines: dict[str, Running], stream: bool
) -> None:
    engines[OLD].do(engines[OLD].node.faults.hang)
    with pytest.raises(anthropic.APITimeoutError):
        claude.with_options(timeout=0.5).messages.create(model=OLD, max_tokens=3, messages=HELLO, stream=stream)
    engines[OLD].wait_for(lambda: not engines[OLD].node.seen.in_flight.now[OLD])


def test_an_answer_says_that_it_was_translated_and_what_was_dropped(
    router: Router, engines: dict[str, Running]
) -> None:
    body = {"model": OLD, "max_tokens": 3, "messages": HELLO, "thinking": {"type": "enabled", "budget_tokens": 2048}}
    headers = httpx.post(f"{router.url}/v1/messages", json=body).headers
    assert (headers["x-fleet-translated"], headers["x-fleet-dropped"]) == (
        "/api/chat",
        "thinking.budget_tokens,thinking",
    )


def test_the_decision_says_that_it_was_translated(router: Router, engines: dict[str, Running]) -> None:
    body = {"model": CPP, "messages": HELLO, "stream": False, "keep_alive": "5m"}
    answer = httpx.post(f"{router.url}/api/chat", json=body)
    decision: Any = router.get(f"/fleet/api/v1/decisions/{answer.headers['x-fleet-decision']}")
    assert (decision["outcome"], decision["route"], decision["reason"]) == (
        "completed",
        "translated",
        "translated to /v1/chat/completions; dropped: keep_alive",
    )


def test_an_answer_in_the_engines_own_dialect_says_nothing_of_that(router: Router, engines: dict[str, Running]) -> None:
    answer = httpx.post(f"{router.url}/api/chat", json={"model": OLD, "messages": HELLO, "stream": False})
    decision: Any = router.get(f"/fleet/api/v1/decisions/{answer.headers['x-fleet-decision']}")
    assert ("x-fleet-translated" in answer.headers, decision["route"]) == (False, "native")


def test_a_whole_answer_that_breaks_is_none(router: Router, engines: dict[str, Running]) -> None:
    engines[CPP].do(lambda: engines[CPP].node.faults.break_streams("silent", after=2, times=3))
    answer = httpx.post(f"{router.url}/api/chat", json={"model": CPP, "messages": HELLO, "stream": False})
    assert (answer.status_code, "terminal line" in answer.json()["error"]) == (502, True)
