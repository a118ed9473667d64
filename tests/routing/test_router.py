"""What a client is told when no node can serve it."""

from dataclasses import replace

import pytest

from nodes.core.values import FleetSnapshot, Memory, Ticket
from nodes.fleet.memory import MemoryFleet
from routing import shutdown
from routing.core.problems import Problem, UpstreamFailed
from routing.recorder import Trace
from routing.router import expired, refused, targets
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


async def no_room(fleet: FleetSnapshot, known: Trace) -> None:
    """Nothing can be unloaded."""


async def test_who_was_held_to_the_end_looks_once_more(fleet: MemoryFleet) -> None:
    await fleet.put_node(replace(node(), paused=True))

    async def in_the_last_moment(seen: FleetSnapshot, known: Trace) -> None:
        await fleet.put_node(node())
        known.held_s = 1e9

    asked = request()
    found = await anext(targets(asked, trace(asked), in_the_last_moment, no_fetch))
    assert found.queue.node == "studio"


async def no_fetch(ticket: Ticket, trace: Trace) -> bool:
    """Nothing is pulled."""
    return False


async def test_nobody_else_is_asked_once_the_server_is_stopping(
    fleet: MemoryFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("studio", "mini"):
        await fleet.put_node(node(name))
    asked = request()
    known = trace(asked)
    found = targets(asked, known, no_room, no_fetch)
    await anext(found)
    known.failed(UpstreamFailed("studio broke off"), "studio")
    monkeypatch.setattr(shutdown, "_stopping", True)
    with pytest.raises(Problem, match="interrupted"):
        await anext(found)
