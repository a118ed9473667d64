import asyncio
from collections.abc import AsyncIterator

import pytest

from fleetsite.demo import traffic
from fleetsite.demo.script import Ask, Cue
from fleetsite.demo.traffic import play
from nodes.simulated import SimulatedNode

MODEL = "qwen2.5:7b"
ASK = Ask("/api/generate", {"model": MODEL, "prompt": "Hello"}, "somebody")


@pytest.fixture
async def node() -> AsyncIterator[SimulatedNode]:
    one = SimulatedNode(f"{MODEL}=4.7")
    await one.start()
    yield one
    await one.stop()


async def test_what_is_on_cue_is_asked_and_read_to_the_end(node: SimulatedNode) -> None:
    await play(node.url, [Cue(0, ASK), Cue(0.01, ASK)])
    assert node.seen.completed[MODEL] == 2


async def test_a_conversation_is_named_to_the_router(node: SimulatedNode) -> None:
    await play(node.url, [Cue(0, ASK)])
    assert node.seen.received[0].headers["x-fleet-session"] == "somebody"


async def test_an_answer_that_is_an_error_ends_nothing(node: SimulatedNode) -> None:
    await play(node.url, [Cue(0, Ask("/api/generate", {"model": "nobody"})), Cue(0, ASK)])
    assert node.seen.completed[MODEL] == 1


async def test_a_client_out_of_patience_leaves(node: SimulatedNode) -> None:
    node.faults.hang()
    await play(node.url, [Cue(0, Ask(ASK.path, ASK.body, patience=0.2))])
    await node.wait_for(lambda: node.seen.cancelled[MODEL] == 1)


async def test_a_router_that_is_gone_ends_nothing(node: SimulatedNode) -> None:
    await node.kill()
    await play(node.url, [Cue(0, ASK)])


async def test_who_still_asks_leaves_when_the_play_is_cancelled(node: SimulatedNode) -> None:
    node.faults.hang()
    playing = asyncio.create_task(play(node.url, [Cue(0, ASK), Cue(3600, ASK)]))
    await node.wait_for(lambda: node.seen.generating.now[MODEL] == 1)
    playing.cancel()
    await node.wait_for(lambda: node.seen.cancelled[MODEL] == 1)


async def test_no_more_are_asking_than_may(node: SimulatedNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "MOST_AT_ONCE", 1)
    node.faults.hang()
    playing = asyncio.create_task(play(node.url, [Cue(0, ASK), Cue(0, ASK), Cue(0.01, ASK)]))
    await node.wait_for(lambda: node.seen.generating.now[MODEL] == 1)
    node.faults.heal()
    await playing
    assert node.seen.requests["/api/generate"] < 3
