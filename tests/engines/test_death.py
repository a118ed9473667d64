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
TOGETHER = 4  # of each kind: twice what both engines run at once


@dataclass(frozen=True)
class Outcome:
    """What one client got."""

    decision: str
    node: str  # as the answer's head named it
    error: str = ""


async def whole(sdk: openai.AsyncOpenAI) -> Outcome:
    raw = await sdk.chat.completions.with_raw_response.create(messages=HELLO, **ASK)
    usage = raw.parse().usage
    assert usage and usage.completion_tokens == TOKENS
    return Outcome(raw.headers["x-fleet-decision"], raw.headers["x-fleet-node"])


async def streamed(sdk: openai.AsyncOpenAI, first: asyncio.Event) -> Outcome:
    """`first` is set by the first token that comes from node `one`."""
    raw = await sdk.chat.completions.with_raw_response.create(messages=HELLO, stream=True, **ASK)
    head = raw.headers["x-fleet-decision"], raw.headers["x-fleet-node"]
    reasons = []
    try:
        async for chunk in raw.parse():
            reasons.append(chunk.choices[0].finish_reason)
            if head[1] == "one":
                first.set()
    except openai.APIError as error:
        return Outcome(*head, error.message)
    assert reasons[-1] == "length"
    return Outcome(*head)


async def test_killing_an_engine_loses_no_request_whose_answer_had_not_begun(mortal_fleet: Fleet) -> None:
    first = asyncio.Event()
    async with mortal_fleet.async_client() as sdk, asyncio.TaskGroup() as group:
        streams = [group.create_task(streamed(sdk, first)) for _ in range(TOGETHER)]
        wholes = [group.create_task(whole(sdk)) for _ in range(TOGETHER)]
        await first.wait()
        await asyncio.to_thread(mortal_fleet.engines["one"].kill)
    broken = [stream.result() for stream in streams if stream.result().error]
    assert broken and {outcome.node for outcome in broken} == {"one"}
    assert {mortal_fleet.decision(o.decision)["outcome"] for o in broken} == {"upstream_failed"}
    good = [task.result() for task in (*streams, *wholes) if not task.result().error]
    assert {mortal_fleet.decision(o.decision)["outcome"] for o in good} == {"completed"}
    assert {o.node for o in good if mortal_fleet.decision(o.decision)["retries"]} == {"two"}
