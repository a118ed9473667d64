"""OpenAI's own client, through the router, answered by real engines."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from tests.conftest import until

from .conftest import Fleet
from .engine import MODEL

pytestmark = pytest.mark.engine

HELLO: list[Any] = [{"role": "user", "content": "Say hello."}]
SIGNALS = {
    "model_warmth", "memory_fit", "queue_depth", "wait_time", "role_affinity", "availability_trend", "context_fit",
    "session_affinity",
}  # fmt: skip
SELDOM = 1.2  # seconds: llama.cpp looks whether the client is still there once it had a second without any news
ON: Any = {"ignore_eos": True}  # the answer has exactly the tokens that were asked for


def test_a_whole_chat_is_answered(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model=MODEL, messages=HELLO, max_tokens=5, extra_body=ON)
    assert answer.choices[0].message.content
    assert (answer.choices[0].finish_reason, answer.usage and answer.usage.completion_tokens) == ("length", 5)


def test_a_chat_is_streamed_with_its_usage(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model=MODEL, messages=HELLO, max_tokens=5, stream=True, stream_options={"include_usage": True}, extra_body=ON
    )
    chunks = list(stream)
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "length"
    assert chunks[-1].usage and chunks[-1].usage.completion_tokens == 5


def test_a_completion_is_answered(client: openai.OpenAI) -> None:
    answer = client.completions.create(model=MODEL, prompt="Once upon a time", max_tokens=5, extra_body=ON)
    assert answer.choices[0].text and answer.usage and answer.usage.completion_tokens == 5


def test_a_completion_is_streamed(client: openai.OpenAI) -> None:
    chunks = list(client.completions.create(model=MODEL, prompt="Once", max_tokens=5, stream=True, extra_body=ON))
    assert "".join(c.choices[0].text for c in chunks)


def test_texts_are_embedded(client: openai.OpenAI) -> None:
    answer = client.embeddings.create(model=MODEL, input=["a cat", "a dog"])
    assert [len(entry.embedding) for entry in answer.data] == [576, 576]


def test_the_model_is_listed_once_and_can_be_retrieved(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == [MODEL]
    assert client.models.retrieve(MODEL).id == MODEL


def test_a_model_that_no_engine_has_is_not_found_though_they_would_take_any_name(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="model 'nope' not found"):
        client.chat.completions.create(model="nope", messages=HELLO)


def test_the_decision_has_eight_signals_that_make_its_score_and_the_engines_token_counts(
    fleet: Fleet, client: openai.OpenAI
) -> None:
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=HELLO, max_tokens=5, extra_body=ON)
    usage, row = raw.parse().usage, fleet.decision(raw.headers["x-fleet-decision"])
    winner = row["candidates"][0]
    assert set(winner["signals"]) == SIGNALS and sum(winner["signals"].values()) == pytest.approx(row["score"])
    assert (row["outcome"], row["node"], winner["node"]) == ("completed", raw.headers["x-fleet-node"], row["node"])
    assert usage and (row["prompt_tokens"], row["completion_tokens"]) == (usage.prompt_tokens, usage.completion_tokens)


def test_a_streams_tokens_are_recorded_from_its_end(fleet: Fleet, client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model=MODEL, messages=HELLO, max_tokens=5, stream=True, stream_options={"include_usage": True}, extra_body=ON
    )
    list(raw.parse())
    row = fleet.decision(raw.headers["x-fleet-decision"])
    assert (row["outcome"], row["completion_tokens"]) == ("completed", 5)


def test_tokens_that_the_engine_did_not_report_stay_unknown(fleet: Fleet, client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model=MODEL, messages=HELLO, max_tokens=5, stream=True, extra_body=ON
    )
    list(raw.parse())
    row = fleet.decision(raw.headers["x-fleet-decision"])
    assert (row["outcome"], row["completion_tokens"]) == ("completed", None)


def test_both_engines_get_work_when_requests_come_together(client: openai.OpenAI) -> None:
    def ask(number: int) -> str:
        chats, prompt = client.chat.completions.with_raw_response, f"What is {number} squared?"
        raw = chats.create(model=MODEL, messages=[{"role": "user", "content": prompt}], max_tokens=20, extra_body=ON)
        return str(raw.headers["x-fleet-node"])

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(ask, range(4))) == ["one", "one", "two", "two"]


def test_a_prompt_beyond_the_context_is_refused_in_the_engines_words(fleet: Fleet, client: openai.OpenAI) -> None:
    long: list[Any] = [{"role": "user", "content": "word " * 3000}]
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=MODEL, messages=long, max_tokens=5)
    assert refused.value.type == "exceed_context_size_error"
    row = fleet.decision(refused.value.response.headers["x-fleet-decision"])
    assert (row["outcome"], row["status"], row["retries"]) == ("invalid", 400, 0)


async def test_a_client_that_leaves_a_stream_frees_the_engine(fleet: Fleet) -> None:
    async with fleet.async_client() as sdk:
        raw = await sdk.chat.completions.with_raw_response.create(
            model=MODEL, messages=HELLO, max_tokens=1500, stream=True, extra_body=ON
        )
        stream = raw.parse()
        await anext(aiter(stream))
        await stream.close()
    await asyncio.to_thread(until, lambda: not any(engine.busy() for engine in fleet.engines.values()))
    assert fleet.decision(raw.headers["x-fleet-decision"])["outcome"] == "client_gone"


async def test_a_client_that_leaves_before_a_whole_answer_frees_the_engine(fleet: Fleet) -> None:
    async with fleet.async_client() as sdk:
        asking = asyncio.create_task(
            sdk.chat.completions.create(model=MODEL, messages=HELLO, max_tokens=1500, extra_body=ON)
        )
        await asyncio.to_thread(until, lambda: any(engine.busy() for engine in fleet.engines.values()))
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    await asyncio.to_thread(until, lambda: not any(engine.busy() for engine in fleet.engines.values()), every=SELDOM)
