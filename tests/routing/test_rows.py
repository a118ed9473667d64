"""The columns of a decision."""

from dataclasses import replace

import pytest

from nodes.fleet.memory import MemoryFleet
from routing.rows import candidates, eliminated
from tests.routing.factories import node, request, trace


def test_each_phase_of_a_request_has_a_time_of_its_own(fleet: MemoryFleet) -> None:
    known = trace(request())
    known.held_s, known.queued_s = 1.0, 2.0
    known.first_at, known.ended_at = known.begun + 4.0, known.begun + 8.0
    row = known.row()
    phases = [row[name] for name in ("held_ms", "queue_ms", "first_token_ms", "total_ms")]
    assert phases == [1000.0, 2000.0, 4000.0, 8000.0]


def test_a_phase_that_never_came_has_no_time(fleet: MemoryFleet) -> None:
    row = trace(request()).row()
    assert (row["first_token_ms"], row["total_ms"]) == (None, None)


def test_an_outcome_is_unknown_until_it_is_known(fleet: MemoryFleet) -> None:
    assert trace(request()).row()["outcome"] is None


async def test_a_decision_names_its_nodes_without_a_look_at_the_whole_fleet(
    fleet: MemoryFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = replace(node("p-1"), name="paused", paused=True)
    await fleet.put_node(paused)
    monkeypatch.setattr(MemoryFleet, "snapshot", None)
    seen = trace(request(), replace(node("s-1"), name="studio"), paused, replace(node("gone"), paused=True))
    names = [one["node"] for one in candidates(seen)], [one["node"] for one in eliminated(seen)]
    assert names == (["studio"], ["paused", "gone"])
