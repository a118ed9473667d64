"""The official clients read our answers as they read an engine's."""

import httpx
import ollama
import openai
import pytest

from routing.translation import DIALECTS
from tests.routing.translation.answered import TOLD
from tests.routing.translation.told import stream, whole

BERN = '{"city":"Bern"}'


def answering(request: httpx.Request) -> httpx.Response:
    """The scene that the model's name asks for, streamed or whole."""
    path, body = request.url.path, request.read()
    scene = next(scene for scene in TOLD if f'"model":"{scene}"'.encode() in body.replace(b'": "', b'":"'))
    streamed = b'"stream":true' in body.replace(b": true", b":true")
    kind = DIALECTS[path].stream_type if streamed else b"application/json"
    content = stream(path, scene) if streamed else whole(path, scene)
    return httpx.Response(200, content=content, headers={"content-type": kind.decode()})


@pytest.fixture
def gpt() -> openai.OpenAI:
    wire = httpx.Client(transport=httpx.MockTransport(answering))
    return openai.OpenAI(base_url="http://router/v1", api_key="k", http_client=wire, max_retries=0)


@pytest.fixture
def llama() -> ollama.Client:
    return ollama.Client("http://router", transport=httpx.MockTransport(answering))


def chunks(gpt: openai.OpenAI, scene: str) -> list[openai.types.chat.ChatCompletionChunk]:
    return list(gpt.chat.completions.create(model=scene, messages=[], stream=True))


def test_openai_reads_a_stream(gpt: openai.OpenAI) -> None:
    words = (c.choices[0].delta.content or "" for c in chunks(gpt, "plain") if c.choices)
    assert "".join(words) == "Hi there"


def test_openai_reads_the_figures(gpt: openai.OpenAI) -> None:
    usage = chunks(gpt, "plain")[-1].usage
    assert usage and (usage.prompt_tokens, usage.completion_tokens) == (10, 4)


def test_openai_reads_a_whole_answer(gpt: openai.OpenAI) -> None:
    answer = gpt.chat.completions.create(model="plain", messages=[])
    assert answer.choices[0].message.content == "Hi there"


def test_openai_keeps_parallel_calls_apart(gpt: openai.OpenAI) -> None:
    calls = [
        call for c in chunks(gpt, "two calls without ids") if c.choices for call in c.choices[0].delta.tool_calls or []
    ]
    assert [(call.index, call.function and call.function.arguments) for call in calls] == [
        (0, BERN),
        (1, '{"city":"Rom"}'),
    ]


def test_openai_reads_what_tokens_weigh(gpt: openai.OpenAI) -> None:
    answer = gpt.chat.completions.create(model="weighed tokens", messages=[])
    logprobs = answer.choices[0].logprobs
    assert logprobs and logprobs.content and logprobs.content[0].logprob == -0.5


def test_openai_raises_for_a_stream_that_breaks(gpt: openai.OpenAI) -> None:
    with pytest.raises(openai.APIError, match="unexpected EOF"):
        chunks(gpt, "broken")


def test_openai_reads_the_stream_of_a_response(gpt: openai.OpenAI) -> None:
    with gpt.responses.stream(model="plain", input="x") as events:
        assert events.get_final_response().output_text == "Hi there"


def test_openai_reads_a_whole_response(gpt: openai.OpenAI) -> None:
    assert gpt.responses.create(model="plain", input="x").output_text == "Hi there"


def test_openai_reads_the_call_of_a_response(gpt: openai.OpenAI) -> None:
    with gpt.responses.stream(model="a call after words", input="x") as events:
        output = events.get_final_response().output
    assert [item.arguments for item in output if item.type == "function_call"] == [BERN]


def test_openai_reads_the_thoughts_of_a_response(gpt: openai.OpenAI) -> None:
    with gpt.responses.stream(model="thinking", input="x") as events:
        output = events.get_final_response().output
    assert [item.summary[0].text for item in output if item.type == "reasoning"] == ["a greeting"]


def test_openai_hears_that_a_response_was_cut(gpt: openai.OpenAI) -> None:
    answer = gpt.responses.create(model="length", input="x")
    assert answer.incomplete_details and answer.incomplete_details.reason == "max_output_tokens"


def test_openai_hears_that_a_response_failed(gpt: openai.OpenAI) -> None:
    last = list(gpt.responses.create(model="broken", input="x", stream=True))[-1]
    assert last.type == "response.failed"
    assert last.response.error and last.response.error.message == "unexpected EOF"


def test_ollama_reads_a_stream(llama: ollama.Client) -> None:
    said = llama.chat("plain", [{"role": "user", "content": "x"}], stream=True)
    assert [part.message.content for part in said] == ["Hi", " there", ""]


def test_ollama_reads_thoughts_and_calls(llama: ollama.Client) -> None:
    said = llama.chat("a call after words", [{"role": "user", "content": "x"}])
    assert said.message.tool_calls and said.message.tool_calls[0].function.arguments == {"city": "Bern"}


def test_ollama_reads_what_was_generated(llama: ollama.Client) -> None:
    assert llama.generate("plain", "x").response == "Hi there"


def test_ollama_raises_for_a_stream_that_breaks(llama: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError, match="unexpected EOF"):
        list(llama.chat("broken", [{"role": "user", "content": "x"}], stream=True))
