"""Random fleets in the form of `manage.py explain`: every key at times missing, every boundary at times met."""

import random
from collections.abc import Callable, Mapping

from tests.conformance.drawing import Make, draw, few, one_of, rarely, spelt
from tests.conformance.facts import Json

NOW = 1_700_000_000.0

# Names that no catalogue of models knows.
MODELS = (
    "acme-7b:q4",
    "bolt-70b:latest",
    "team/cog-3b:latest",
    "hf.example/acme/dyno:q8_0",
    "ember-embed:v2",
    "flux:8b",
)
SIZES = (0, 0.5, 4.75, 7.99, 8, 8.01, 14, 20, 20.01, 42.5, 48, 100, 140)
RATIOS = (0.5, 0.999, 1, 1.0001, 1.2, 1.2001, 1.5, 1.5001, 2, 2.0001, 4)
CONTEXTS = (0, 2048, 4096, 6144, 12288, 131072)
TOKENS = (0, 1, 256, 500, 512, 768, 1024, 2048, 4096, 4097, 6144, 8192)
DEPTHS = (0, 0, 1, 1, 2, 3, 4, 5, 12)
ABILITIES = ("completion", "tools", "vision", "embedding")
SAID: tuple[list[str], ...] = (
    [],
    ["completion"],
    ["completion", "tools"],
    ["completion", "vision", "tools"],
    ["embedding"],
)
UNLOADED = (0, 600, 1799, 1800, 1801, 7200)
TURNS = (0, 100, 899, 900, 901, 5000)


NODE: Mapping[str, Make] = {
    "status": rarely("online", ("degraded", "offline"), 0.15),
    "enrolment": rarely("approved", ("pending",)),
    "reachable": rarely(True, (False,)),
    "paused": rarely(False, (True,)),
    "draining": rarely(False, (True,)),
    "bandwidth_gbps": one_of((0, 50, 100, 273, 400, 800, 801, 3350)),
    "parallel": one_of((1, 4, 8)),
    "last_chosen_at": lambda rng: NOW - rng.choice((1, 10, 10, 60, 3600)),
}
CAPACITY: Mapping[str, Make] = {
    "learning": rarely(True, (False,), 0.2),
    "override": rarely(None, ("pause", "full"), 0.4),
    "observed_days": rarely(21, (0, 6.99, 7, 7.01), 0.3),
    "availability": one_of((0.2, 0.2001, 0.35, 0.5, 0.852, 0.9, 1, 0.1999)),
    "ceiling_gb": one_of((8, 16, 32, 64, 153.6)),
    "meeting": rarely(False, (True,)),
    "cpu_over_85_seconds": rarely(0, (119.9, 120, 500), 0.2),
}
PARAMETERS: Mapping[str, Make] = {
    "FLEET_SCORE_MODEL_HOT": one_of((0, 10, 75)),
    "FLEET_SCORE_MODEL_WARM": one_of((0, 25, 50)),
    "FLEET_SCORE_MODEL_COLD": one_of((0, 5, 30)),
    "FLEET_SCORE_WARM_SECONDS": one_of((600, 7200)),
    "FLEET_SCORE_MEMORY_FIT_MAX": one_of((0, 10, 40)),
    "FLEET_SCORE_QUEUE_DEPTH_MAX_PENALTY": one_of((0, 12, 60)),
    "FLEET_SCORE_QUEUE_DEPTH_PENALTY_PER": one_of((0, 1, 10)),
    "FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE": one_of((True, False)),
    "FLEET_SCORE_WAIT_TIME_MAX_PENALTY": one_of((0, 5, 100)),
    "FLEET_SCORE_WAIT_TIME_SECONDS_PER_POINT": one_of((1, 30)),
    "FLEET_SCORE_WAIT_TIME_MIN_SAMPLES": one_of((1, 4, 100)),
    "FLEET_SCORE_ROLE_AFFINITY_MAX": one_of((0, 10, 50)),
    "FLEET_SCORE_ROLE_LARGE_THRESHOLD_GB": one_of((14, 40)),
    "FLEET_SCORE_ROLE_SMALL_THRESHOLD_GB": one_of((4, 14)),
    "FLEET_SCORE_AVAILABILITY_TREND_MAX": one_of((0, 30)),
    "FLEET_SCORE_CONTEXT_FIT_MAX": one_of((0, 30)),
    "FLEET_SCORE_SESSION_AFFINITY_MAX": one_of((0, 45)),
    "FLEET_SCORE_SESSION_SECONDS": one_of((60, 3600)),
    "FLEET_PRESSURE_SPARES_RESIDENT": one_of((True, False)),
    "FLEET_FIT_COUNTS_IDLE_MODELS": one_of((True, False)),
    "FLEET_CAPACITY_MIN_AVAILABILITY": one_of((0, 0.5)),
    "FLEET_CAPACITY_BOOTSTRAP_DAYS": one_of((0, 30)),
    "FLEET_CAPACITY_BUSY_SECONDS": one_of((60, 600)),
}


def random_case(rng: random.Random) -> Json:
    """One fleet and one request."""
    sizes = {model: rng.choice(SIZES) for model in rng.sample(MODELS, rng.randint(1, len(MODELS)))}
    nodes = [node(rng, f"node-{number}", sizes) for number in range(rng.randint(1, 8))]
    case = {"now": NOW, "request": request(rng, list(sizes)), "nodes": nodes} | draw(
        rng,
        {
            "parameters": lambda r: draw(r, PARAMETERS, keep=r.choice((0, 0.1, 0.4)), null=0),
            "policy": lambda r: "additive",
            "queues": lambda r: by_node_and_model(r, nodes, sizes, queue),
            "latency": lambda r: by_node_and_model(r, nodes, sizes, latency),
            "resident_need_gb": lambda r: {spelt(r, m): s * r.choice((0, 1.1, 1.5)) for m, s in few(r, sizes.items())},
            "sessions": lambda r: {"s1": turn(r, nodes, sizes), "s2": turn(r, nodes, sizes)},
        },
    )
    oddity = rng.choice((*[twins] * 6, all_pending, nothing_there, *[as_it_is] * 12))
    oddity(rng, case)
    return case


def request(rng: random.Random, models: list[str]) -> Json:
    """What is asked: often one model, else a list, with repeats and strangers."""
    wanted = rng.choices(models, k=rng.choice((1, 1, 1, 2, 3, 4)))
    if rng.random() < 0.05:
        wanted[rng.randrange(len(wanted))] = "stranger-13b:q4"
    makers: Mapping[str, Make] = {
        "estimated_tokens": one_of(TOKENS),
        "session": rarely("s1", ("s2", "unheard-of")),
        "needs": lambda r: r.sample(ABILITIES[1:], r.choice((0, 0, 0, 1, 2))),
    }
    return {"models": [spelt(rng, model) for model in wanted], **draw(rng, makers)}


def node(rng: random.Random, name: str, sizes: Mapping[str, float]) -> Json:
    """One machine with some of the models."""
    makers: Mapping[str, Make] = {
        "memory": lambda r: memory(r, sizes),
        "unhealthy": lambda r: [spelt(r, m) for m in few(r, sizes, 0.06)],
        "resident": lambda r: twice(r, [resident(r, m, s) for m, s in few(r, sizes.items(), 0.3)]),
        "on_disk": lambda r: twice(r, [on_disk(r, m, s) for m, s in few(r, sizes.items(), 0.75)]),
        "unloaded_at": lambda r: {spelt(r, m): NOW - r.choice(UNLOADED) for m in few(r, sizes, 0.4)},
    }
    capacity = {"capacity": draw(rng, CAPACITY)} if rng.random() < 0.3 else {}
    return {"id": name} | draw(rng, NODE) | draw(rng, makers, keep=0.92) | capacity


def memory(rng: random.Random, sizes: Mapping[str, float]) -> Json:
    """Room for one of the models at a boundary, or any."""
    exactly = rng.choice(list(sizes.values())) * rng.choice(RATIOS)
    makers: Mapping[str, Make] = {
        "total_gb": one_of((8, 16, 31, 32, 33, 64, 127, 128, 129, 192, 512)),
        "available_gb": lambda r: r.choice((exactly, exactly, 0, 30, 150, 400)),
        "pressure": rarely("normal", ("warn", "critical"), 0.12),
    }
    return draw(rng, makers, keep=0.9)


def resident(rng: random.Random, model: str, size: float) -> Json:
    """A model in memory: its weights and more."""
    flags = {"idle": one_of((True, False)), "pinned": one_of((True, False, False))}
    makers = {"size_gb": one_of((0, size, size + 2, size + 8)), "context": one_of(CONTEXTS), **flags}
    return {"name": spelt(rng, model), **draw(rng, makers)}


def on_disk(rng: random.Random, model: str, size: float) -> Json:
    """A model on disk, mostly of its usual size."""
    makers = {"size_gb": one_of((size, size, size, 0, size + 1)), "capabilities": one_of(SAID)}
    return {"name": spelt(rng, model), "digest": "sha256:0", **draw(rng, makers)}


def twice(rng: random.Random, entries: list[Json]) -> list[Json]:
    """The same entries, now and then one of them again in another spelling and size."""
    if entries and rng.random() < 0.15:
        again = rng.choice(entries)
        entries.append({**again, "name": spelt(rng, again["name"].lower()), "size_gb": rng.choice(SIZES)})
    return entries


def by_node_and_model(
    rng: random.Random, nodes: list[Json], sizes: Mapping[str, float], make: Callable[[random.Random], Json]
) -> list[Json]:
    """Entries for some of the pairs, and one for a node that is gone."""
    pairs = [(each["id"], model) for each in nodes for model in sizes] + [("gone", MODELS[0])]
    return [{"node": name, "model": spelt(rng, model), **make(rng)} for name, model in few(rng, pairs)]


def queue(rng: random.Random) -> Json:
    """What runs and waits."""
    return draw(rng, {"in_flight": one_of(DEPTHS), "pending": one_of(DEPTHS)})


def latency(rng: random.Random) -> Json:
    """What was measured, at times too little."""
    return {"p75_ms": rng.choice((1, 850, 6800, 31000, 400000))} | draw(rng, {"samples": one_of((0, 1, 4, 5, 6, 120))})


def turn(rng: random.Random, nodes: list[Json], sizes: Mapping[str, float]) -> Json:
    """Where the session's last turn was served: at times where the model no longer is."""
    loaded = [(each["id"], entry["name"]) for each in nodes for entry in each.get("resident") or []]
    anywhere = [(each["id"], spelt(rng, model)) for each in nodes for model in sizes]
    name, model = rng.choice(loaded if loaded and rng.random() < 0.8 else anywhere)
    return {"node": name, "model": model} | draw(rng, {"at": lambda r: NOW - r.choice(TURNS)})


def twins(rng: random.Random, case: Json) -> None:
    """Gives one node a twin or two, with its queues and latencies: they tie but for load and last choice."""
    first = rng.choice(case["nodes"])
    for number in range(rng.randint(1, 2)):
        name = f"twin-{number}"
        case["nodes"].insert(rng.randint(0, len(case["nodes"])), {**first, "id": name} | some_last_choice(rng))
        for key in ("queues", "latency"):
            rows = case.get(key) or []
            rows.extend([{**row, "node": name} for row in rows if row["node"] == first["id"]])
        if rng.random() < 0.3:
            case["queues"] = [*(case.get("queues") or []), {"node": name, "model": "another:1b", "in_flight": 1}]


def some_last_choice(rng: random.Random) -> Json:
    """A time at which the router last chose a node, or the same as its twin's."""
    return {"last_chosen_at": NOW - rng.choice((5, 10, 20))} if rng.random() < 0.6 else {}


def all_pending(rng: random.Random, case: Json) -> None:
    """Leaves no approved node, at times no node."""
    case["nodes"] = [{**each, "enrolment": "pending"} for each in case["nodes"]] if rng.random() < 0.7 else []


def nothing_there(rng: random.Random, case: Json) -> None:
    """Asks for models that no node has."""
    case["request"]["models"] = ["stranger-13b:q4", "Nobody"][: rng.randint(1, 2)]


def as_it_is(rng: random.Random, case: Json) -> None:
    """Changes nothing."""
