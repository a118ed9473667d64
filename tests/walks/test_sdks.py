"""The official clients of Ollama and OpenAI, through the router, answered by a simulated Ollama."""

from collections.abc import Iterator
from typing import Any

import httpx
import ollama
import openai
import pytest

from nodes.simulated import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.nodes.simulated import raw

HELLO: list[Any] = raw.HELLO
WEATHER: list[Any] = raw.WEATHER
WEATHER_TOOL: Any = raw.WEATHER_TOOL
CHAT, TOOLS, EMBED = "smollm2:135m", "qwen2.5:7b", "all-minilm"
MODELS = f"{CHAT}=0.3,{TOOLS}=4.7,{EMBED}=0.05"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BROKEN = "an error was encountered while running the model"
IMPATIENT = 0.5  # seconds


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that bears many failures before it suspends a node."""
    with routers(tmp_path_factory.mktemp("sdks")) as start:
        yield start(FLEET_CIRCUIT_FAILURES="100")


@pytest.fixture(scope="module")
def node(router: Router) -> Iterator[Running]:
    """A node that the router knows and has read."""
    with running(SimulatedNode(MODELS)) as one:
        router.manage("node", "add", "studio", one.url)
        until(lambda: len(_models(router)) == 3)
        yield one


@pytest.fixture
def engine(node: Running) -> Iterator[Running]:
    """The node, whose faults end with the test."""
    yield node
    node.do(node.node.faults.heal)


@pytest.fixture
def native(router: Router, engine: Running) -> Iterator[ollama.Client]:
    """Ollama's client."""
    with ollama.Client(router.url) as sdk:
        yield sdk


@pytest.fixture
def v1(router: Router, engine: Running) -> Iterator[openai.OpenAI]:
    """OpenAI's client, which shall not repeat anything itself."""
    with openai.OpenAI(base_url=f"{router.url}/v1", api_key="none", max_retries=0) as sdk:
        yield sdk


def _models(router: Router) -> list[Any]:
    listed: Any = router.get("/api/tags")
    return list(listed["models"])


class TestOllama:
    def test_chats_whole(self, native: ollama.Client) -> None:
        answer = native.chat(CHAT, HELLO)
        assert answer.message.content and (answer.done, answer.eval_count) == (True, 12)

    def test_streams_a_chat(self, native: ollama.Client) -> None:
        parts = list(native.chat(CHAT, HELLO, stream=True))
        assert [part.done for part in parts] == [False] * 12 + [True]

    def test_gets_a_tool_call(self, native: ollama.Client) -> None:
        calls = native.chat(TOOLS, WEATHER, tools=[WEATHER_TOOL]).message.tool_calls
        assert calls and calls[0].function.arguments == {"city": "Berlin"}

    def test_streams_a_tool_call(self, native: ollama.Client) -> None:
        parts = native.chat(TOOLS, WEATHER, tools=[WEATHER_TOOL], stream=True)
        assert [call.function.name for part in parts for call in part.message.tool_calls or ()] == ["get_weather"]

    @pytest.mark.parametrize("form", ["json", SCHEMA])
    def test_passes_the_wanted_format_on(self, native: ollama.Client, engine: Running, form: Any) -> None:
        native.chat(CHAT, HELLO, format=form)
        assert engine.node.seen.bodies("/api/chat")[-1]["format"] == form

    def test_passes_options_and_keep_alive_on(self, native: ollama.Client, engine: Running) -> None:
        answer = native.chat(CHAT, HELLO, options={"num_predict": 3, "seed": 7}, keep_alive="5m")
        body = engine.node.seen.bodies("/api/chat")[-1]
        assert (answer.eval_count, answer.done_reason) == (3, "length")
        assert (body["options"], body["keep_alive"]) == ({"num_predict": 3, "seed": 7}, "5m")

    def test_generates_whole(self, native: ollama.Client) -> None:
        assert native.generate(CHAT, "Hello").response

    def test_streams_what_is_generated(self, native: ollama.Client) -> None:
        parts = list(native.generate(CHAT, "Hello", stream=True))
        assert "".join(part.response or "" for part in parts) and parts[-1].done_reason == "stop"

    def test_embeds_many_texts(self, native: ollama.Client) -> None:
        assert [len(vector) for vector in native.embed(EMBED, ["a", "b"]).embeddings] == [384, 384]

    def test_embeds_one_prompt_the_old_way(self, native: ollama.Client) -> None:
        assert len(native.embeddings(EMBED, "a").embedding) == 384

    def test_lists_the_fleets_models(self, native: ollama.Client) -> None:
        assert [model.model for model in native.list().models] == [f"{EMBED}:latest", TOOLS, CHAT]

    def test_shows_a_model(self, native: ollama.Client) -> None:
        assert native.show(TOOLS).capabilities == ["completion", "tools"]

    def test_shows_what_is_loaded(self, native: ollama.Client) -> None:
        native.generate(CHAT)
        until(lambda: CHAT in [model.model for model in native.ps().models])

    def test_learns_that_nobody_has_a_model(self, native: ollama.Client) -> None:
        with pytest.raises(ollama.ResponseError, match="model 'nope' not found") as refused:
            native.chat("nope", HELLO)
        assert refused.value.status_code == 404

    def test_learns_that_a_model_does_not_do_tools(self, native: ollama.Client) -> None:
        with pytest.raises(ollama.ResponseError, match=f"{CHAT} does not support tools") as refused:
            native.chat(CHAT, WEATHER, tools=[WEATHER_TOOL])
        assert refused.value.status_code == 400

    def test_hears_the_engines_own_refusal(self, native: ollama.Client, engine: Running) -> None:
        engine.do(lambda: engine.node.faults.answer(400, "invalid options: mirostat"))
        with pytest.raises(ollama.ResponseError, match="invalid options: mirostat") as refused:
            native.generate(CHAT, "Hello")
        assert refused.value.status_code == 400

    @pytest.mark.parametrize("kind", ["error", "torn", "silent"])
    def test_raises_when_a_stream_breaks(self, native: ollama.Client, engine: Running, kind: str) -> None:
        engine.do(lambda: engine.node.faults.break_streams(kind, after=2, times=1))
        parts = native.chat(CHAT, HELLO, stream=True)
        assert [next(parts).done, next(parts).done] == [False, False]
        with pytest.raises(ollama.ResponseError, match=BROKEN if kind == "error" else "studio"):
            list(parts)

    def test_gives_up_in_its_own_time_and_leaves_nothing_running(self, router: Router, engine: Running) -> None:
        engine.do(engine.node.faults.hang)
        with ollama.Client(router.url, timeout=IMPATIENT) as sdk, pytest.raises(httpx.TimeoutException):
            sdk.chat(CHAT, HELLO)
        engine.wait_for(lambda: not engine.node.seen.in_flight.now[CHAT])


class TestOpenAI:
    def test_chats_whole(self, v1: openai.OpenAI) -> None:
        answer = v1.chat.completions.create(model=CHAT, messages=HELLO)
        assert answer.choices[0].message.content and answer.usage and answer.usage.completion_tokens == 12

    def test_streams_a_chat_with_its_usage(self, v1: openai.OpenAI) -> None:
        usage: Any = {"include_usage": True}
        chunks = list(v1.chat.completions.create(model=CHAT, messages=HELLO, stream=True, stream_options=usage))
        assert chunks[-2].choices[0].finish_reason == "stop"
        assert chunks[-1].usage and chunks[-1].usage.completion_tokens == 12

    def test_streams_through_its_helper(self, v1: openai.OpenAI) -> None:
        with v1.chat.completions.stream(model=CHAT, messages=HELLO) as stream:
            assert stream.get_final_completion().choices[0].message.content

    def test_gets_a_tool_call(self, v1: openai.OpenAI) -> None:
        choice = v1.chat.completions.create(model=TOOLS, messages=WEATHER, tools=[WEATHER_TOOL]).choices[0]
        assert choice.finish_reason == "tool_calls" and choice.message.tool_calls
        assert choice.message.tool_calls[0].model_dump()["function"]["arguments"] == '{"city":"Berlin"}'

    def test_streams_a_tool_call(self, v1: openai.OpenAI) -> None:
        chunks = list(v1.chat.completions.create(model=TOOLS, messages=WEATHER, tools=[WEATHER_TOOL], stream=True))
        calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        assert [call.function and call.function.name for call in calls] == ["get_weather"]

    @pytest.mark.parametrize(
        "form",
        [{"type": "json_object"}, {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA}}],
        ids=lambda form: form["type"],
    )
    def test_passes_the_wanted_format_on(self, v1: openai.OpenAI, engine: Running, form: Any) -> None:
        v1.chat.completions.create(model=CHAT, messages=HELLO, response_format=form)
        assert engine.node.seen.bodies("/v1/chat/completions")[-1]["response_format"] == form

    def test_completes_whole(self, v1: openai.OpenAI) -> None:
        assert v1.completions.create(model=CHAT, prompt="Hello", max_tokens=3).choices[0].finish_reason == "length"

    def test_streams_a_completion(self, v1: openai.OpenAI) -> None:
        chunks = list(v1.completions.create(model=CHAT, prompt="Hello", stream=True))
        assert "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)

    @pytest.mark.parametrize("form", ["float", "base64"])
    def test_embeds(self, v1: openai.OpenAI, form: Any) -> None:
        answer = v1.embeddings.create(model=EMBED, input=["a", "b"], encoding_format=form)
        assert [entry.index for entry in answer.data] == [0, 1]

    def test_lists_and_retrieves_models(self, v1: openai.OpenAI) -> None:
        assert [model.id for model in v1.models.list()] == [f"{EMBED}:latest", TOOLS, CHAT]
        assert v1.models.retrieve(TOOLS).id == TOOLS

    @pytest.mark.parametrize("stream", [False, True])
    def test_learns_that_nobody_has_a_model(self, v1: openai.OpenAI, stream: bool) -> None:
        with pytest.raises(openai.NotFoundError, match="model 'nope' not found"):
            v1.chat.completions.create(model="nope", messages=HELLO, stream=stream)

    def test_learns_that_nobody_has_a_model_to_retrieve(self, v1: openai.OpenAI) -> None:
        with pytest.raises(openai.NotFoundError, match="model 'nope' not found"):
            v1.models.retrieve("nope")

    def test_learns_that_a_model_does_not_do_tools(self, v1: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match=f"{CHAT} does not support tools"):
            v1.chat.completions.create(model=CHAT, messages=WEATHER, tools=[WEATHER_TOOL])

    def test_learns_that_a_chat_needs_messages(self, v1: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match=r"\[\] is too short - 'messages'"):
            v1.chat.completions.create(model=CHAT, messages=[])

    def test_hears_the_engines_own_failure(self, v1: openai.OpenAI, engine: Running) -> None:
        engine.do(lambda: engine.node.faults.answer(500, "something unusual"))
        with pytest.raises(openai.InternalServerError, match="something unusual"):
            v1.chat.completions.create(model=CHAT, messages=HELLO)

    def test_hears_that_no_engine_could_answer(self, v1: openai.OpenAI, engine: Running) -> None:
        engine.do(lambda: engine.node.faults.answer(503, "server busy", times=3))
        with pytest.raises(openai.InternalServerError, match="studio answered 503") as refused:
            v1.chat.completions.create(model=CHAT, messages=HELLO)
        assert refused.value.status_code == 502 and "retry-after" in refused.value.response.headers

    @pytest.mark.parametrize("kind", ["error", "torn", "silent"])
    def test_raises_when_a_stream_breaks(self, v1: openai.OpenAI, engine: Running, kind: str) -> None:
        engine.do(lambda: engine.node.faults.break_streams(kind, after=2, times=1))
        chunks = iter(v1.chat.completions.create(model=CHAT, messages=HELLO, stream=True))
        assert next(chunks).choices[0].delta.content
        with pytest.raises(openai.APIError, match="studio"):
            list(chunks)

    @pytest.mark.parametrize("stream", [False, True])
    def test_gives_up_in_its_own_time_and_leaves_nothing_running(
        self, v1: openai.OpenAI, engine: Running, stream: bool
    ) -> None:
        engine.do(engine.node.faults.hang)
        with pytest.raises(openai.APITimeoutError):
            v1.with_options(timeout=IMPATIENT).chat.completions.create(model=CHAT, messages=HELLO, stream=stream)
        engine.wait_for(lambda: not engine.node.seen.in_flight.now[CHAT])
