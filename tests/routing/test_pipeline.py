"""Whatever happens in whatever order: a slot that was taken is given back, and a request comes out once."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.fleet import held, use_fleet
from nodes.fleet.memory import MemoryFleet
from routing import endpoints, pipeline
from routing.notebook import Notebook
from tests.routing.factories import node, request, trace
from tests.routing.records import until
from tests.routing.whole_walk import LAST_LINE, PLANS, SLOTS, CountingFleet, Engines, House, Notes

nodes = st.sampled_from(sorted(SLOTS))
plans = st.lists(st.sampled_from(PLANS), max_size=3)
STEPS = st.one_of(
    st.tuples(st.just("ask"), plans, st.booleans()),
    st.tuples(st.just("ask"), plans, st.booleans()),
    st.tuples(st.just("ask"), st.just(["hangs"]), st.booleans()),
    st.tuples(st.just("leave"), st.integers(0, 20)),
    st.tuples(st.just("go_on")),
    st.tuples(st.just("pause"), nodes),
    st.tuples(st.just("lose"), nodes),
    st.tuples(st.just("find"), nodes),
    st.tuples(st.just("move"), nodes, nodes),
    st.tuples(st.just("heal"), nodes),
)
OUTCOMES = {"completed", "client_gone", "upstream_failed", "timed_out", "hold_expired", "queue_full", "invalid"}


@pytest.fixture(autouse=True, scope="module")
def _quick_news_and_quiet_log() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held, "COALESCE_SECONDS", 0.0)
        logging.disable(logging.ERROR)  # faults of ours are made on purpose here
        yield
        logging.disable(logging.NOTSET)
        use_fleet(None)


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, min_size=5, max_size=40))
def test_every_slot_is_given_back_and_every_request_comes_out_once(steps: list[tuple[Any, ...]]) -> None:
    house = asyncio.run(lived(steps))
    fleet, engines = house.fleet, house.engines
    assert fleet.acquired == fleet.released
    assert (fleet.running, fleet.snapshot().queues, fleet.snapshot().held) == ({}, {}, 0)
    assert not +engines.working
    outcomes = list(house.notes.outcomes.values())
    assert len(outcomes) == len(house.clients)
    assert all(len(told) == 1 and told[0] in OUTCOMES for told in outcomes)


@settings(max_examples=100, deadline=None)
@given(st.lists(STEPS, min_size=5, max_size=40))
def test_a_client_is_told_the_truth(steps: list[tuple[Any, ...]]) -> None:
    house = asyncio.run(lived(steps))
    for client, (outcome,) in zip(house.clients, house.notes.outcomes.values(), strict=True):
        assert (outcome == "completed") == (client.status == 200 and client.body.endswith(LAST_LINE))
        assert client.ended == (outcome != "client_gone")


def test_the_walk_is_walked_to_each_of_its_ends() -> None:
    ends: Counter[str] = Counter()
    for plan in PLANS:
        for stream in (True, False):
            house = asyncio.run(lived([("ask", [plan, plan], stream), ("go_on",), ("go_on",)]))
            ends.update(outcome for (outcome,) in house.notes.outcomes.values())
    assert ends == {"completed": 8, "upstream_failed": 8, "timed_out": 2, "invalid": 2}


async def lived(steps: list[tuple[Any, ...]]) -> House:
    """A house in which all this happened, after everybody has left."""
    fleet, engines, notes = CountingFleet(), Engines(), Notes()
    use_fleet(fleet)
    house = House(fleet, engines, notes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "upstream_for", lambda node: engines)
        patch.setattr(endpoints, "notebook", notes)
        patch.setattr(pipeline, "notebook", notes)
        for node_id in SLOTS:
            await house.put(node_id)
        for name, *given_ in steps:
            await getattr(house, name)(*given_)
        await house.end()
    return house


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    """What the walk notes."""
    ours = Notebook()
    monkeypatch.setattr(pipeline, "notebook", ours)
    return ours


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    """Every node's engine."""
    ours = Engines()
    monkeypatch.setattr(pipeline, "upstream_for", lambda node: ours)
    return ours


async def test_a_decision_names_its_node_while_the_engine_works(
    fleet: MemoryFleet, engines: Engines, notebook: Notebook
) -> None:
    asked = replace(request(), tags=("slow",))
    engines.plans["slow"] = ["hangs"]
    await fleet.put_node(node("studio"))
    async with aclosing(pipeline.serve(asked, trace(asked))) as parts:
        first = asyncio.create_task(anext(parts))
        await until(lambda: engines.hanging)
        assert [noted.row()["node"] for noted in notebook.take()] == ["studio"]
        engines.hanging[0].set()
        await first


@pytest.mark.usefixtures("notebook")
async def test_a_busy_node_is_not_a_dead_node(fleet: MemoryFleet, engines: Engines) -> None:
    asked, studio = replace(request(), tags=("busy",)), node("studio")
    engines.plans["busy"] = []
    await fleet.put_node(studio)
    async for _ in pipeline.serve(asked, trace(asked)):
        assert [n.status for n in fleet.snapshot().nodes] == ["online"]
        await fleet.put_node(replace(studio, status="offline"))  # it answers no poll meanwhile
