"""The official clients of messages and responses, through the router, answered by simulated engines old and new."""

from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import openai
import pytest

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.nodes.simulated import raw

HELLO: Any = raw.HELLO
WEATHER: Any = raw.WEATHER
PARAMETERS: dict[str, Any] = raw.WEATHER_TOOL["function"]["parameters"]  # type: ignore[index]
TOOL: Any = {"name": "get_weather", "input_schema": PARAMETERS}
FLAT: Any = {"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": False}
CHAT, TOOLS, OLD, CPP = "smollm2:135m", "qwen2.5:7b", "llama-old", "llama-cpp"
ENGINES = {
    "studio": (f"{CHAT}=0.3,{TOOLS}=4.7", Machine()),
    "attic": (f"{OLD}=1", Machine(version="0.12.0")),
    "cpp": (f"{CPP}=1", Machine(engine="openai")),
}
BREAKS = ("error", "torn", "silent")
IMPATIENT = 0.5  # seconds
both = pytest.mark.parametrize("model", [CHAT, CPP])


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that bears many failures before it suspends a node."""
    with routers(tmp_path_factory.mktemp("newer")) as start:
        yield start(FLEET_CIRCUIT_FAILURES="100")


@pytest.fixture(scope="module")
def nodes(router: Router) -> Iterator[dict[str, Running]]:
    """A new Ollama, an old one and a llama.cpp that the router has read, by name."""
    with (
        running(SimulatedNode(*ENGINES["studio"])) as studio,
        running(SimulatedNode(*ENGINES["attic"])) as attic,
        running(SimulatedNode(*ENGINES["cpp"])) as cpp,
    ):
        for name, one in (("studio", studio), ("attic", attic), ("cpp", cpp)):
            router.manage("node", "add", name, one.url, "--engine", one.node.machine.engine)
        until(lambda: len(_listed(router)) == 4)
        yield {CHAT: studio, TOOLS: studio, OLD: attic, CPP: cpp}


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


def _listed(router: Router) -> list[Any]:
    listed: Any = router.get("/api/tags")
    return list(listed["models"])


def breaks(engine: Running, kind: str) -> None:
    """The next answer breaks after two tokens."""
    engine.do(lambda: engine.node.faults.break_streams(kind, after=2, times=1))


class TestAnthropic:
    @both
    def test_gets_a_whole_message(self, claude: anthropic.Anthropic, model: str) -> None:
        answer = claude.messages.create(model=model, max_tokens=3, messages=HELLO)
        assert (answer.stop_reason, answer.usage.output_tokens) == ("max_tokens", 3)
        assert answer.content[0].type == "text" and answer.content[0].text

    @both
    def test_streams_a_message(self, claude: anthropic.Anthropic, model: str) -> None:
        with claude.messages.stream(model=model, max_tokens=3, messages=HELLO) as stream:
            assert len(list(stream.text_stream)) == 3
            assert stream.get_final_message().stop_reason == "max_tokens"

    @pytest.mark.parametrize("model", [TOOLS, CPP])
    def test_gets_the_use_of_a_tool(self, claude: anthropic.Anthropic, model: str) -> None:
        with claude.messages.stream(model=model, max_tokens=50, messages=WEATHER, tools=[TOOL]) as stream:
            answer = stream.get_final_message()
        assert answer.stop_reason == "tool_use"
        assert answer.content[0].type == "tool_use" and answer.content[0].input == {"city": "Berlin"}

    def test_sends_every_field_to_the_engine(self, claude: anthropic.Anthropic, engines: dict[str, Running]) -> None:
        thinking: Any = {"type": "enabled", "budget_tokens": 1024}
        system: Any = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
        claude.messages.create(model=CHAT, max_tokens=2048, messages=HELLO, system=system, thinking=thinking)
        body = engines[CHAT].node.seen.bodies("/v1/messages")[-1]
        assert (body["system"], body["thinking"]) == (system, thinking)

    def test_counts_tokens_without_asking_an_engine(
        self, claude: anthropic.Anthropic, engines: dict[str, Running]
    ) -> None:
        counted = claude.messages.count_tokens(model=CHAT, messages=HELLO, tools=[TOOL])
        assert counted.input_tokens > 10
        assert not any(one.node.seen.requests["/v1/messages/count_tokens"] for one in engines.values())

    def test_lists_and_retrieves_models(self, claude: anthropic.Anthropic) -> None:
        assert [model.id for model in claude.models.list()] == [CPP, f"{OLD}:latest", TOOLS, CHAT]
        assert claude.models.retrieve(CHAT).display_name == CHAT

    def test_learns_that_nobody_has_a_model(self, claude: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.NotFoundError, match="model 'nope' not found") as refused:
            claude.messages.create(model="nope", max_tokens=3, messages=HELLO)
        assert refused.value.request_id == f"req_{refused.value.response.headers['x-fleet-decision']}"

    def test_learns_that_nobody_has_a_model_to_retrieve(self, claude: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.NotFoundError, match="model 'nope' not found"):
            claude.models.retrieve("nope")

    def test_learns_that_a_model_does_not_do_tools(self, claude: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.BadRequestError, match=f"{CHAT} does not support tools"):
            claude.messages.create(model=CHAT, max_tokens=3, messages=WEATHER, tools=[TOOL])

    def test_hears_the_engines_own_refusal(self, claude: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.BadRequestError, match="max_tokens is required and must be positive"):
            claude.messages.create(model=CHAT, max_tokens=0, messages=HELLO)

    def test_hears_that_no_engine_could_answer(self, claude: anthropic.Anthropic, engines: dict[str, Running]) -> None:
        engines[CHAT].do(lambda: engines[CHAT].node.faults.answer(503, "server busy", times=3))
        with pytest.raises(anthropic.APIStatusError, match="studio answered 503") as refused:
            claude.messages.create(model=CHAT, max_tokens=3, messages=HELLO)
        assert refused.value.status_code == 502 and "retry-after" in refused.value.response.headers

    @both
    @pytest.mark.parametrize("kind", BREAKS)
    def test_raises_when_a_stream_breaks(
        self, claude: anthropic.Anthropic, engines: dict[str, Running], model: str, kind: str
    ) -> None:
        breaks(engines[model], kind)
        with claude.messages.stream(model=model, max_tokens=9, messages=HELLO) as stream:
            texts = stream.text_stream
            assert next(texts) and next(texts)
            with pytest.raises(anthropic.APIStatusError, match=r"terminal line|broke off|running the model"):
                list(texts)

    @pytest.mark.parametrize("stream", [False, True])
    def test_gives_up_in_its_own_time_and_leaves_nothing_running(
        self, claude: anthropic.Anthropic, engines: dict[str, Running], stream: bool
    ) -> None:
        engines[CHAT].do(engines[CHAT].node.faults.hang)
        with pytest.raises(anthropic.APITimeoutError):
            claude.with_options(timeout=IMPATIENT).messages.create(
                model=CHAT, max_tokens=3, messages=HELLO, stream=stream
            )
        engines[CHAT].wait_for(lambda: not engines[CHAT].node.seen.in_flight.now[CHAT])


class TestResponses:
    @both
    def test_gets_a_whole_response(self, v1: openai.OpenAI, model: str) -> None:
        answer = v1.responses.create(model=model, input="Hello", max_output_tokens=3)
        assert answer.output_text and answer.usage and answer.usage.output_tokens == 3

    def test_streams_a_response_without_a_gap(self, v1: openai.OpenAI) -> None:
        events = list(v1.responses.create(model=CHAT, input="Hello", stream=True))
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert (events[0].type, events[-1].type) == ("response.created", "response.completed")

    def test_streams_through_its_helper(self, v1: openai.OpenAI) -> None:
        with v1.responses.stream(model=CHAT, input="Hello") as stream:
            assert stream.get_final_response().output_text

    @pytest.mark.parametrize("model", [TOOLS, CPP])
    def test_gets_the_call_of_a_tool(self, v1: openai.OpenAI, model: str) -> None:
        answer = v1.responses.create(model=model, input=WEATHER, tools=[FLAT])
        assert answer.output[0].type == "function_call" and answer.output[0].arguments == '{"city":"Berlin"}'

    def test_learns_that_nothing_is_remembered(self, v1: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match="previous_response_id is not supported"):
            v1.responses.create(model=CHAT, input="Hello", previous_response_id="resp_1")

    def test_learns_that_nobody_has_a_model(self, v1: openai.OpenAI) -> None:
        with pytest.raises(openai.NotFoundError, match="model 'nope' not found"):
            v1.responses.create(model="nope", input="Hello")

    @pytest.mark.parametrize("kind", ["torn", "silent"])
    @both
    def test_raises_when_a_stream_breaks(
        self, v1: openai.OpenAI, engines: dict[str, Running], model: str, kind: str
    ) -> None:
        breaks(engines[model], kind)
        events = v1.responses.create(model=model, input="Hello", stream=True)
        with pytest.raises(openai.APIError, match=r"terminal line|broke off"):
            list(events)

    @pytest.mark.parametrize("stream", [False, True])
    def test_gives_up_in_its_own_time_and_leaves_nothing_running(
        self, v1: openai.OpenAI, engines: dict[str, Running], stream: bool
    ) -> None:
        engines[CHAT].do(engines[CHAT].node.faults.hang)
        with pytest.raises(openai.APITimeoutError):
            v1.with_options(timeout=IMPATIENT).responses.create(model=CHAT, input="Hello", stream=stream)
        engines[CHAT].wait_for(lambda: not engines[CHAT].node.seen.in_flight.now[CHAT])


def test_a_wrong_key_is_refused_in_anthropics_form(router: Router, nodes: dict[str, Running]) -> None:
    headers = {"x-api-key": "wrong", "x-forwarded-for": "203.0.113.9", "anthropic-version": "2023-06-01"}
    answer = httpx.post(f"{router.url}/v1/messages", json={"model": CHAT, "messages": HELLO}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")
