"""The boundaries of the written rules, each as a case with what must come of it, worked out by hand."""

from typing import Any

from tests.conformance.facts import Json

NOW = 1_700_000_000.0
MODEL = "acme:1b"


def case(node: Json | None = None, **rest: Any) -> Json:
    """A question for a 10 GB model to one node that has it on disk and 100 GB free, but for what is changed."""
    usual: Json = {"id": "n", "memory": {"available_gb": 100}, "on_disk": [{"name": MODEL, "size_gb": 10}]}
    request = {"models": [MODEL], **rest.pop("request", {})}
    return {"now": NOW, "request": request, "nodes": [{**usual, **(node or {})}], **rest}


def sized(size_gb: float, **node: Any) -> Json:
    """The same question for a model of that size, with room enough."""
    return case({"on_disk": [{"name": MODEL, "size_gb": size_gb}], "memory": {"available_gb": 1000}, **node})


def of_ram(size_gb: float, total_gb: float) -> Json:
    """The same question for a model of that size at a node with that much RAM, its bandwidth unknown."""
    return sized(size_gb, memory={"available_gb": 1000, "total_gb": total_gb})


def loaded(context: int | None = None, **rest: Any) -> Json:
    """The same question where the model is in memory."""
    node = rest.pop("node", {})
    return case({"resident": [{"name": MODEL, "size_gb": 12, "context": context or 0}], **node}, **rest)


def learning(node: Json | None = None, **capacity: Any) -> Json:
    """The same question to a node that learns."""
    return case({"capacity": {"learning": True, **capacity}, **(node or {})})


def able(said: list[str], *needs: str) -> Json:
    """The same question with needs, to a node that says what the model can do."""
    return case({"on_disk": [{"name": MODEL, "size_gb": 10, "capabilities": said}]}, request={"needs": list(needs)})


def queued(in_flight: int, pending: int = 0, **rest: Any) -> Json:
    """The same question where requests for the model run and wait."""
    return case(queues=[{"node": "n", "model": MODEL, "in_flight": in_flight, "pending": pending}], **rest)


def measured(depth: int, p75_ms: float, **latency: Any) -> Json:
    """The same question with so many requests ahead and so much measured."""
    return queued(depth, latency=[{"node": "n", "model": MODEL, "p75_ms": p75_ms, **latency}])


def conversation(turn: Json, depth: int = 0) -> Json:
    """The same question within a session whose last turn is given, where the model is in memory."""
    queues = [{"node": "n", "model": MODEL, "in_flight": depth}]
    return loaded(request={"session": "s"}, sessions={"s": {"model": MODEL, "node": "n", **turn}}, queues=queues)


def changed(changes: Json, of: Json) -> Json:
    """A case under other parameters."""
    return {**of, "parameters": changes}


SPARES = {"FLEET_PRESSURE_SPARES_RESIDENT": True}
IDLE_COUNTS = {"FLEET_FIT_COUNTS_IDLE_MODELS": True}
BY_SPEED = {"FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE": True}
CRITICAL = {"memory": {"available_gb": 100, "pressure": "critical"}}
NO_DISK: Json = {"on_disk": []}
FOUR_LEFT = {"memory": {"available_gb": 4}}
OTHER = {"name": "other:1b", "size_gb": 6, "idle": True, "pinned": False}

# What is asked, and why the node is out, None if it is in.
ELIMINATION: dict[str, tuple[Json, str | None]] = {
    "a plain node is in": (case(), None),
    "pending comes first": (case({"enrolment": "pending", "status": "offline"}), "pending"),
    "offline comes before unreachable": (case({"status": "offline", "reachable": False}), "offline"),
    "degraded stays in": (case({"status": "degraded"}), None),
    "unreachable comes before paused": (case({"reachable": False, "paused": True}), "unreachable"),
    "paused comes before draining": (case({"paused": True, "draining": True}), "paused"),
    "draining comes before pressure": (case({"draining": True, **CRITICAL}), "draining"),
    "critical pressure is out": (case(CRITICAL), "memory_pressure"),
    "a warning of pressure is in": (case({"memory": {"available_gb": 100, "pressure": "warn"}}), None),
    "critical pressure is out with the model loaded": (loaded(node=CRITICAL), "memory_pressure"),
    "the option spares a loaded model": (changed(SPARES, loaded(node=CRITICAL)), None),
    "the option spares no cold model": (changed(SPARES, case(CRITICAL)), "memory_pressure"),
    "pressure comes before capacity": (learning(CRITICAL, meeting=True), "memory_pressure"),
    "a meeting is out": (learning(meeting=True), "capacity"),
    "a meeting is out in spite of an override": (learning(meeting=True, override="full"), "capacity"),
    "a meeting does not matter without learning": (case({"capacity": {"meeting": True}}), None),
    "an override pauses": (learning(override="pause"), "capacity"),
    "a busy processor is out at 120 seconds": (learning(cpu_over_85_seconds=120), "capacity"),
    "a busy processor is in at 119.9 seconds": (learning(cpu_over_85_seconds=119.9), None),
    "availability below 0.20 is out": (learning(availability=0.1999), "capacity"),
    "availability of 0.20 is in": (learning(availability=0.20), None),
    "the seventh day is not over at 6.99": (learning(observed_days=6.99), "capacity"),
    "seven days are enough": (learning(observed_days=7), None),
    "an override to full lifts all but a meeting": (
        learning(override="full", cpu_over_85_seconds=500, availability=0, observed_days=0),
        None,
    ),
    "capacity comes before absence": (learning(NO_DISK, meeting=True), "capacity"),
    "a model neither loaded nor on disk is absent": (case(NO_DISK), "model_absent"),
    "a model that is only loaded is there": (loaded(node=NO_DISK), None),
    "absence comes before ill health": (case({**NO_DISK, "unhealthy": [MODEL]}), "model_absent"),
    "a need that the node denies is out": (able(["completion"], "tools"), "capability"),
    "a need that the node affirms is in": (able(["completion", "tools"], "tools"), None),
    "one of two needs denied is out": (able(["completion", "tools"], "tools", "vision"), "capability"),
    "an empty list says nothing": (able([], "tools"), None),
    "a loaded model can what it can on disk": (
        loaded(
            node={"on_disk": [{"name": MODEL, "capabilities": ["completion"]}]},
            request={"needs": ["vision"]},
        ),
        "capability",
    ),
    "a loaded model that is not on disk may do anything": (loaded(node=NO_DISK, request={"needs": ["vision"]}), None),
    "an unhealthy model is out": (case({"unhealthy": ["ACME:1B"]}), "unhealthy"),
    "another's ill health is its own": (case({"unhealthy": ["acme:2b"]}), None),
    "ill health comes before memory": (case({"unhealthy": [MODEL], **FOUR_LEFT}), "unhealthy"),
    "exactly enough memory is in": (case({"memory": {"available_gb": 10}}), None),
    "a little less memory is out": (case({"memory": {"available_gb": 9.999}}), "no_memory"),
    "a loaded model needs no more memory": (loaded(node={"memory": {"available_gb": 0}}), None),
    "unknown memory is in": (case({"memory": {}}), None),
    "the ceiling of a learning node caps": (learning(ceiling_gb=9), "no_memory"),
    "a ceiling without learning does not": (case({"capacity": {"ceiling_gb": 9}}), None),
    "the measured need counts before the weights": (case(resident_need_gb={MODEL: 101}), "no_memory"),
    "an unknown size is 100 GB and fits in 100": (sized(0, memory={"available_gb": 100}), None),
    "an unknown size does not fit in 99": (sized(0, memory={"available_gb": 99}), "no_memory"),
    "idle models do not count as free": (case({"resident": [OTHER], **FOUR_LEFT}), "no_memory"),
    "the option counts idle models as free": (changed(IDLE_COUNTS, case({"resident": [OTHER], **FOUR_LEFT})), None),
    "the option counts no pinned model": (
        changed(IDLE_COUNTS, case({"resident": [{**OTHER, "pinned": True}], **FOUR_LEFT})),
        "no_memory",
    ),
    "the option counts no busy model": (
        changed(IDLE_COUNTS, case({"resident": [{**OTHER, "idle": False}], **FOUR_LEFT})),
        "no_memory",
    ),
    "the ceiling caps idle models too": (
        changed(IDLE_COUNTS, learning({"resident": [OTHER], **FOUR_LEFT}, ceiling_gb=9)),
        "no_memory",
    ),
}


def free(available_gb: float) -> Json:
    """The question for the 10 GB model with that much memory free."""
    return case({"memory": {"available_gb": available_gb}})


def unloaded(seconds: float) -> Json:
    """The question for a model that was unloaded so long ago."""
    return case({"unloaded_at": {MODEL: NOW - seconds}})


# What is asked, and the points that one signal must give.
SIGNALS: dict[str, tuple[Json, str, float]] = {
    "loaded is hot": (loaded(), "model_warmth", 50),
    "unloaded 1799 seconds ago is warm": (unloaded(1799), "model_warmth", 30),
    "unloaded 1800 seconds ago is cold": (unloaded(1800), "model_warmth", 10),
    "on disk is cold": (case(), "model_warmth", 10),
    "a loaded model fits": (loaded(node={"memory": {"available_gb": 0}}), "memory_fit", 20),
    "over twice the need": (free(20.01), "memory_fit", 20),
    "twice the need": (free(20), "memory_fit", 15),
    "over one and a half": (free(15.01), "memory_fit", 15),
    "one and a half": (free(15), "memory_fit", 8),
    "over one and a fifth": (free(12.01), "memory_fit", 8),
    "one and a fifth": (free(12), "memory_fit", 3),
    "just the need": (free(10), "memory_fit", 3),
    "memory unknown": (case({"memory": {}}), "memory_fit", 0),
    "tiers scale with the most": (changed({"FLEET_SCORE_MEMORY_FIT_MAX": 40}, free(15)), "memory_fit", 16),
    "the measured need is what must fit": (case(resident_need_gb={MODEL: 50}), "memory_fit", 15),
    "no queue": (case(), "queue_depth", 0),
    "four ahead": (queued(1, 3), "queue_depth", -24),
    "five ahead": (queued(2, 3), "queue_depth", -30),
    "six ahead": (queued(6), "queue_depth", -30),
    "a queue of another model": (
        case(queues=[{"node": "n", "model": "other:1b", "in_flight": 5}]),
        "queue_depth",
        0,
    ),
    "alone a node is its own median": (
        changed(BY_SPEED, queued(2, node={"bandwidth_gbps": 800})),
        "queue_depth",
        -12,
    ),
    "waits are measured": (measured(3, 6800), "wait_time", -2.04),
    "five samples are believed": (measured(1, 40000, samples=5), "wait_time", -4),
    "four samples are not": (measured(1, 40000, samples=4), "wait_time", -1),
    "a long wait costs no more": (measured(5, 60000), "wait_time", -25),
    "the guess by bandwidth": (queued(1, node={"bandwidth_gbps": 400}), "wait_time", -100 / 480 / 10),
    "the guess by a low bandwidth": (queued(1, node={"bandwidth_gbps": 5}), "wait_time", -1),
    "the guess without bandwidth": (queued(1), "wait_time", -1),
    "over 20 GB is large": (sized(20.01, bandwidth_gbps=400), "role_affinity", 15),
    "20 GB is between": (sized(20, bandwidth_gbps=400), "role_affinity", 9),
    "8 GB is between": (sized(8, bandwidth_gbps=400), "role_affinity", 9),
    "under 8 GB is small": (sized(7.99, bandwidth_gbps=400), "role_affinity", 9),
    "a small model at a slow node": (sized(4, bandwidth_gbps=100), "role_affinity", 13.5),
    "a small model at the fastest": (sized(4, bandwidth_gbps=800), "role_affinity", 3),
    "the bonus reaches its most at 800 GB/s": (sized(40, bandwidth_gbps=800), "role_affinity", 25),
    "the bonus stays at its most": (sized(40, bandwidth_gbps=3350), "role_affinity", 25),
    "large, 128 GB": (of_ram(40, 128), "role_affinity", 15),
    "large, 127 GB": (of_ram(40, 127), "role_affinity", 5),
    "large, 32 GB": (of_ram(40, 32), "role_affinity", 5),
    "large, 31 GB": (of_ram(40, 31), "role_affinity", 0),
    "small, 32 GB": (of_ram(4, 32), "role_affinity", 15),
    "small, 33 GB": (of_ram(4, 33), "role_affinity", 8),
    "small, 128 GB": (of_ram(4, 128), "role_affinity", 8),
    "small, 129 GB": (of_ram(4, 129), "role_affinity", 3),
    "between, any memory": (of_ram(14, 192), "role_affinity", 5),
    "large, nothing known": (sized(40), "role_affinity", 0),
    "small, nothing known": (sized(4), "role_affinity", 8),
    "between, nothing known": (sized(14), "role_affinity", 5),
    "a bandwidth of 0 is unknown": (sized(4, bandwidth_gbps=0), "role_affinity", 8),
    "the signal scales with its most": (
        changed({"FLEET_SCORE_ROLE_AFFINITY_MAX": 50}, sized(14)),
        "role_affinity",
        10,
    ),
    "an available learner": (learning(availability=0.852), "availability_trend", 8.52),
    "a learner of unknown availability": (learning(), "availability_trend", 10),
    "no learner": (case({"capacity": {"availability": 0.9}}), "availability_trend", 0),
    "context below the tokens": (loaded(4096, request={"estimated_tokens": 4097}), "context_fit", -15),
    "context of just the tokens": (loaded(4096, request={"estimated_tokens": 4096}), "context_fit", 3),
    "one and a half times": (loaded(6144, request={"estimated_tokens": 4096}), "context_fit", 7.5),
    "three times": (loaded(6144, request={"estimated_tokens": 2048}), "context_fit", 12),
    "eight times": (loaded(4096, request={"estimated_tokens": 512}), "context_fit", 15),
    "a little under eight times": (loaded(4096, request={"estimated_tokens": 513}), "context_fit", 12),
    "context unknown": (loaded(0, request={"estimated_tokens": 512}), "context_fit", 0),
    "tokens unknown": (loaded(4096), "context_fit", 0),
    "nothing loaded": (case(request={"estimated_tokens": 512}), "context_fit", 0),
    "a fresh session": (conversation({"at": NOW - 10}), "session_affinity", 20),
    "one ahead in the session's queue": (conversation({"at": NOW - 10}, 1), "session_affinity", 20 / 1.5),
    "two ahead in the session's queue": (conversation({"at": NOW - 10}, 2), "session_affinity", 10),
    "a session of 900 seconds": (conversation({"at": NOW - 900}), "session_affinity", 20),
    "a session of 901 seconds": (conversation({"at": NOW - 901}), "session_affinity", 0),
    "a session without a time": (conversation({}), "session_affinity", 20),
    "a session of another node": (conversation({"node": "m"}), "session_affinity", 0),
    "a session with another model": (conversation({"model": "acme:2b"}), "session_affinity", 0),
    "a session whose model was unloaded": (
        case(request={"session": "s"}, sessions={"s": {"model": MODEL, "node": "n", "at": NOW}}),
        "session_affinity",
        0,
    ),
}
