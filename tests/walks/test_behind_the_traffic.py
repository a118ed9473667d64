"""Pre-warm and rebalance by the real beat and worker, every five seconds."""

from collections.abc import Iterator

import pytest

from tests.conftest import Router, until
from tests.walks.fleets import Fleet, fleet_of, hanging

CYCLE = 5.0  # seconds
LOADING = 6.0  # seconds that one load takes: longer than a cycle


@pytest.fixture(scope="module")
def fleet(module_router: Router) -> Iterator[Fleet]:
    with fleet_of(module_router) as fleet:
        yield fleet


def test_deep_queues_have_their_models_loaded_once_on_the_runner_up_and_the_overflow_goes_there(fleet: Fleet) -> None:
    models = {"deep": "/api/chat", "nomic-embed-text": "/api/embed"}
    busy, other = fleet.add_all(
        lambda: fleet.add("busy", "deep=3,nomic-embed-text=3"),
        lambda: fleet.add("other", "deep=3,nomic-embed-text=3", load_gbps=3 / LOADING),
    )
    fleet.warm(busy, *models)
    with hanging(busy):
        for model, path in models.items():
            waiting = [fleet.begin(model, path) for _ in range(3)]
            until(lambda: sum(fleet.depth("busy", model)) == 3)  # noqa: B023
        until(lambda: all(fleet.knows(other, model) for model in models), within=2 * CYCLE + 2 * LOADING + 5)
        overflow = [fleet.ask(model, path) for model, path in models.items()]
    assert [(answer.status, answer.node) for answer in overflow] == [(200, "other")] * 2
    seen = other.node.seen
    assert seen.bodies("/api/generate") == [{"model": "deep:latest", "prompt": "", "stream": False}]
    assert seen.bodies("/api/embed")[0] == {"model": "nomic-embed-text:latest", "input": []}
    assert (seen.requests["/api/embed"], dict(seen.loads)) == (2, {"deep:latest": 1, "nomic-embed-text:latest": 1})
    assert [one.result().node for one in waiting] == ["busy"] * 3


def test_what_waits_at_a_deep_queue_moves_to_where_the_model_is_loaded_three_a_cycle(fleet: Fleet) -> None:
    deep, free = fleet.add_all(lambda: fleet.add("deep", "moved=1"), lambda: fleet.add("free", "moved=1"))
    fleet.warm(deep, "moved")
    fleet.warm(free, "moved")
    fleet.manage("pause", "free")
    until(lambda: fleet.state("free") == "paused")
    with hanging(deep):
        requests = [fleet.begin("moved", options={"seed": number}) for number in range(7)]
        until(lambda: fleet.depth("deep", "moved") == (1, 6))
        fleet.manage("resume", "free")
        until(lambda: sum(request.done() for request in requests) == 3, within=2 * CYCLE)
        moved = [request.result() for request in requests if request.done()]
    decisions = [fleet.decision(answer) for answer in moved]
    assert [(answer.status, answer.node) for answer in moved] == [(200, "free")] * 3
    assert [(row["node"], row["moves"], row["retries"]) for row in decisions] == [("free", 1, 0)] * 3
    assert {row["outcome"] for row in decisions} == {"completed"}
    assert [request.result().status for request in requests] == [200] * 7
    assert sorted(body["options"]["seed"] for node in (deep, free) for body in node.node.seen.bodies("/api/chat")) == [
        *range(7)
    ]
