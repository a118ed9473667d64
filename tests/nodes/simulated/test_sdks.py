"""The clients that people use."""

from collections.abc import AsyncIterator

import ollama as ollama_sdk
import openai
import pytest

from .raw import HELLO, WEATHER, WEATHER_TOOL


@pytest.fixture
async def client(ollama) -> AsyncIterator[ollama_sdk.AsyncClient]:
    sdk = ollama_sdk.AsyncClient(ollama.url)
    yield sdk
    await sdk._client.aclose()


@pytest.fixture
async def v1(ollama) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{ollama.url}/v1", api_key="none", max_retries=0) as sdk:
        yield sdk


@pytest.fixture
async def llama_v1(llama) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{llama.url}/v1", api_key="none", max_retries=0) as sdk:
        yield sdk


async def test_ollamas_client_streams_a_chat(client):
    parts = [part async for part in await client.chat("smollm2:135m", HELLO, stream=True)]
    assert (parts[-1].done_reason, parts[-1].eval_count) == ("stop", 12)


async def test_ollamas_client_gets_a_tool_call(client):
    answer = await client.chat("qwen2.5:7b", WEATHER, tools=[WEATHER_TOOL])
    assert answer.message.tool_calls[0].function.arguments == {"city": "Berlin"}


async def test_ollamas_client_embeds(client):
    assert len((await client.embed("all-minilm", ["a", "b"])).embeddings) == 2


async def test_ollamas_client_reads_the_inventory(client):
    await client.generate("smollm2:135m")
    assert [model.model for model in (await client.ps()).models] == ["smollm2:135m"]
    assert "smollm2:135m" in [model.model for model in (await client.list()).models]
    assert (await client.show("smollm2:135m")).capabilities == ["completion"]


async def test_ollamas_client_sees_the_engines_error(client):
    with pytest.raises(ollama_sdk.ResponseError, match="model 'nope' not found") as raised:
        await client.chat("nope", HELLO)
    assert raised.value.status_code == 404


async def test_ollamas_client_sees_a_runner_die(client, ollama):
    ollama.faults.break_streams("error", after=2)
    with pytest.raises(ollama_sdk.ResponseError, match="unexpected EOF"):
        [part async for part in await client.chat("smollm2:135m", HELLO, stream=True)]


async def test_openais_client_streams_a_chat_with_usage(v1):
    usage = {"include_usage": True}
    stream = await v1.chat.completions.create(
        model="smollm2:135m", messages=HELLO, stream=True, max_tokens=5, stream_options=usage
    )
    chunks = [chunk async for chunk in stream]
    assert (chunks[-2].choices[0].finish_reason, chunks[-1].usage.completion_tokens) == ("length", 5)


async def test_openais_client_gets_a_tool_call(v1):
    answer = await v1.chat.completions.create(model="qwen2.5:7b", messages=WEATHER, tools=[WEATHER_TOOL])
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.choices[0].message.tool_calls[0].function.arguments == '{"city":"Berlin"}'


async def test_openais_client_embeds_in_base64_by_itself(v1):
    answer = await v1.embeddings.create(model="all-minilm", input=["a", "b"])
    assert [len(entry.embedding) for entry in answer.data] == [384, 384]


async def test_openais_client_sees_the_engines_error(v1):
    with pytest.raises(openai.NotFoundError, match="model 'nope' not found"):
        await v1.chat.completions.create(model="nope", messages=HELLO)


async def test_openais_client_lists_and_retrieves(v1):
    assert "smollm2:135m" in [model.id async for model in await v1.models.list()]
    assert (await v1.models.retrieve("smollm2:135m")).owned_by == "library"


async def test_openais_client_streams_from_llama_cpp(llama_v1):
    stream = await llama_v1.chat.completions.create(model="x", messages=HELLO, stream=True, max_tokens=3)
    chunks = [chunk async for chunk in stream]
    assert ("".join(c.choices[0].delta.content or "" for c in chunks), chunks[-1].choices[0].finish_reason) == (
        "Waits weights long",
        "length",
    )


async def test_openais_client_completes_with_llama_cpp(llama_v1):
    answer = await llama_v1.completions.create(model="x", prompt="Hello", max_tokens=3)
    assert (answer.choices[0].text, answer.usage.completion_tokens) == ("Waits weights long", 3)


async def test_openais_client_lists_llama_cpps_models(llama_v1):
    assert [model.id async for model in await llama_v1.models.list()] == ["smollm2"]
