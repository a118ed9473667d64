"""Pre-warm and rebalance by the real beat and worker, every five seconds."""

from tests.walks.changing.parts import Fleet, Planned, eventually, hanging

CYCLE = 5.0  # seconds
LOADING = 6.0  # seconds that the large model takes to load: longer than a cycle


def test_deep_queues_have_their_models_loaded_once_on_the_runner_up_and_the_overflow_goes_there(fleet: Fleet) -> None:
    paths, models = {"deep": "/api/chat", "deep-embed": "/api/embed"}, "deep=6,deep-embed=0.1/embedding"
    one, other = fleet.add(Planned("busy", models), Planned("idle", models, machine={"load_gbps": 6 / LOADING}))
    fleet.warm(one, *paths)
    with hanging(one):
        waiting = [fleet.begin(model, path) for model, path in paths.items() for _ in range(3)]
        eventually(lambda: all(fleet.knows(other, model) for model in paths), within=2 * CYCLE + LOADING + 5)
        overflow = [fleet.ask(model, path) for model, path in paths.items()]
    assert [(answer.status, answer.node) for answer in overflow] == [(200, "idle")] * 2
    assert [request.result().node for request in waiting] == ["busy"] * 6
    seen = other.node.seen
    assert seen.bodies("/api/generate") == [{"model": "deep:latest", "prompt": "", "stream": False}]
    assert [bool(body["input"]) for body in seen.bodies("/api/embed")] == [False, True]
    assert dict(seen.loads) == {"deep:latest": 1, "deep-embed:latest": 1}


def test_what_waits_at_a_deep_queue_moves_to_where_the_model_is_loaded_three_a_cycle(fleet: Fleet) -> None:
    deep, free = fleet.add(Planned("deep", "moved=1"), Planned("free", "moved=1"))
    fleet.warm(free, "moved")
    fleet.manage("pause", "free")
    eventually(lambda: fleet.state("free") == "paused")
    assert fleet.ask("moved").node == "deep"
    with hanging(deep):
        requests = [fleet.begin("moved", options={"seed": seed}) for seed in range(7)]
        eventually(lambda: fleet.depth("deep", "moved") == (1, 6))
        fleet.manage("resume", "free")
        eventually(lambda: sum(request.done() for request in requests) == 3)
        moved = [request.result() for request in requests if request.done()]
    decisions = [fleet.decision(answer) for answer in moved]
    assert [(answer.status, answer.node) for answer in moved] == [(200, "free")] * 3
    assert [(row["node"], row["moves"], row["retries"], row["outcome"]) for row in decisions] == [
        ("free", 1, 0, "completed")
    ] * 3
    assert [request.result().status for request in requests] == [200] * 7
    seeds = [
        body.get("options", {}).get("seed") for node in (deep, free) for body in node.node.seen.bodies("/api/chat")
    ]
    assert sorted(seed for seed in seeds if seed is not None) == [*range(7)]
