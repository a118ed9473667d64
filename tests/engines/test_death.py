"""An engine is killed while both are at work."""

import asyncio
from dataclasses import dataclass
from typing import Any

import openai
import pytest

from .conftest import Fleet
from .engine import MODEL

pytestmark = pytest.mark.engine

TOKENS = 30
ASK: Any = {"model": MODEL, "max_tokens": TOKENS, "extra_body": {"ignore_eos": True}}
HELLO: list[Any] = [{"role": "user", "content": "Tell me a story."}]
TOGETHER = 3  # of each kind: more than both engines run at once


@dataclass(frozen=True)
class Outcome:
    """What one client got."""

    decision: str
    error: str = ""


async def whole(sdk: openai.AsyncOpenAI) -> Outcome:
    raw = await sdk.chat.completions.with_raw_response.create(messages=HELLO, **ASK)
    usage = raw.parse().usage
    assert usage and usage.completion_tokens == TOKENS
    return Outcome(raw.headers["x-fleet-decision"])


async def streamed(sdk: openai.AsyncOpenAI, first: asyncio.Event) -> Outcome:
    """`first` is set by the first token that comes from node `one`."""
    raw = await sdk.chat.completions.with_raw_response.create(messages=HELLO, stream=True, **ASK)
    decision, reasons = raw.headers["x-fleet-decision"], []
    try:
        async for chunk in raw.parse():
            reasons.append(chunk.choices[0].finish_reason)
            if raw.headers["x-fleet-node"] == "one":
                first.set()
    except openai.APIError as error:
        return Outcome(decision, error.message)
    assert reasons[-1] == "length"
    return Outcome(decision)


async def test_killing_an_engine_loses_no_request_whose_answer_had_not_begun(mortal_fleet: Fleet) -> None:
    first = asyncio.Event()
    async with mortal_fleet.async_client() as sdk, asyncio.TaskGroup() as group:
        streams = [group.create_task(streamed(sdk, first)) for _ in range(TOGETHER)]
        wholes = [group.create_task(whole(sdk)) for _ in range(TOGETHER)]
        await first.wait()
        await asyncio.to_thread(mortal_fleet.engines["one"].kill)
    outcomes = [task.result() for task in (*streams, *wholes)]
    broken = [mortal_fleet.decision(o.decision) for o in outcomes if o.error]
    good = [mortal_fleet.decision(o.decision) for o in outcomes if not o.error]
    assert {(row["node"], row["outcome"]) for row in broken} == {("one", "upstream_failed")}
    assert {row["outcome"] for row in good} == {"completed"}
    assert {tried["node"] for row in good for tried in row["attempts"]} == {"one"}  # and then another
