"""Loading and unloading by hand, on a simulated node."""

from collections.abc import AsyncIterator

import pytest

from nodes.core.values import DiskModel, Memory, NodeSnapshot, ResidentModel
from nodes.fleet import get_fleet, use_fleet
from nodes.fleet.memory import MemoryFleet
from nodes.simulated import Machine, SimulatedNode
from routing import loading, tasks
from routing.loading import Told
from routing.upstreams import client

MODEL = "qwen2.5:7b"


@pytest.fixture
async def engine() -> AsyncIterator[SimulatedNode]:
    """A node with one model on its disk, known to the fleet of this process."""
    use_fleet(MemoryFleet())
    node = SimulatedNode(f"{MODEL}=4.7", Machine(load_gbps=0.0), "", True)
    url = await node.start(0)
    disk = {MODEL: DiskModel(MODEL, 4.7), "gone:1b": DiskModel("gone:1b")}
    await get_fleet().put_node(NodeSnapshot("studio", "studio", url, memory=Memory(32, 20), on_disk=disk))
    yield node
    await tasks.stop()
    await client.close()
    await node.stop()
    use_fleet(None)


async def reported() -> None:
    """The fleet learns that the model is in memory."""
    (node,) = get_fleet().snapshot().nodes
    resident = {MODEL: ResidentModel(MODEL, 4.7)}
    await get_fleet().put_node(NodeSnapshot(node.id, node.name, node.url, resident=resident, on_disk=node.on_disk))


async def test_a_model_is_loaded_by_hand(engine: SimulatedNode) -> None:
    await reported()
    assert await loading.load("studio", MODEL) == Told(True, "loaded")


async def test_a_load_that_takes_long_goes_on_behind(engine: SimulatedNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "GLANCE", 0.01)
    assert await loading.load("studio", MODEL) == Told(True, "loading")
    assert await loading.load("studio", MODEL) == Told(True, "is being loaded already")


async def test_a_load_that_fails_says_why(engine: SimulatedNode) -> None:
    told = await loading.load("studio", "gone:1b")
    assert not told.well and "404" in told.words


async def test_a_model_is_unloaded_by_hand(engine: SimulatedNode) -> None:
    assert await loading.unload("studio", MODEL) == Told(True, "unloaded")


async def test_a_node_that_is_gone_says_so(engine: SimulatedNode) -> None:
    await engine.stop()
    told = await loading.unload("studio", MODEL)
    assert not told.well and "can't be reached" in told.words


async def test_an_engine_that_loads_nothing_on_demand_says_so(engine: SimulatedNode) -> None:
    await get_fleet().put_node(NodeSnapshot("vllm", "vllm", engine="openai"))
    told = await loading.load("vllm", MODEL)
    assert told == Told(False, "vllm can't load models on demand")


@pytest.mark.parametrize("work", [loading.load, loading.unload])
async def test_a_node_that_the_router_does_not_see_does_nothing(work: loading.Work, engine: SimulatedNode) -> None:
    assert await work("nobody", MODEL) == Told(False, loading.UNKNOWN)


async def test_several_nodes_do_it_together_each_with_its_own_answer(engine: SimulatedNode) -> None:
    first, second = await loading.on_each(loading.unload, ["studio", "nobody"], MODEL)
    assert (first.well, second.well) == (True, False)


async def test_a_node_that_does_not_answer_is_not_waited_for_long(
    engine: SimulatedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PATIENCE", 0.05)
    engine.faults.hang()
    (told,) = await loading.on_each(loading.load, ["studio"], MODEL)
    assert not told.well and "may still come about" in told.words
