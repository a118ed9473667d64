"""What a client is told when no node can serve it."""

from dataclasses import replace

from nodes.core.values import Memory
from nodes.fleet.memory import MemoryFleet
from routing.router import expired, refused
from tests.routing.factories import node, request, trace


async def test_a_refusal_names_each_node_with_its_own_reason(fleet: MemoryFleet) -> None:
    nodes = (
        replace(node("studio"), paused=True),
        node("mini", "other:3b"),
        replace(node("tower"), memory=Memory(pressure="critical")),
    )
    for one in nodes:
        await fleet.put_node(one)
    words = expired(request(), trace(request(), *nodes).ranking)
    assert "(studio: paused; mini: model absent; tower: memory pressure)" in words


def test_a_refusal_says_when_to_come_back() -> None:
    assert (refused("hold_expired", "none").status, refused("hold_expired", "none").retry_after) == (503, 5)
