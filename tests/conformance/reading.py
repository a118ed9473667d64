"""How a case in the form of `manage.py explain` is read: every default, spelling and unknown, once."""

import statistics
from collections.abc import Iterable, Mapping
from typing import Any

from tests.conformance.facts import DEFAULTS, Json, Pair

UNKNOWN_WEIGHTS_GB = 100.0


def given(value: Any) -> Any:
    """The same JSON without its nulls: what is null is not given."""
    if isinstance(value, dict):
        return {key: given(each) for key, each in value.items() if each is not None}
    return [given(each) for each in value] if isinstance(value, list) else value


def settings(case: Json) -> Json:
    """The parameters in force: the defaults under what the case changes."""
    return {**DEFAULTS, **case.get("parameters", {})}


def normal(name: str) -> str:
    """A model's name in lower case, without the default registry and namespace, with its tag."""
    parts = name.lower().split("/")
    if len(parts) == 3 and parts[0] == "registry.ollama.ai":
        parts = parts[1:]
    if len(parts) == 2 and parts[0] == "library":
        parts = parts[1:]
    return "/".join(parts) + ("" if ":" in parts[-1] else ":latest")


def asked(case: Json) -> list[str]:
    """The models of the request in order, each once."""
    return list(dict.fromkeys(normal(name) for name in case["request"]["models"]))


def pairs(case: Json) -> list[Pair]:
    """Every model of the request at every node, in the order of the request, then of enrolment."""
    nodes = list(enumerate(case.get("nodes", [])))
    return [pair(case, model, *at_node) for model in enumerate(asked(case)) for at_node in nodes]


def pair(case: Json, model_at: tuple[int, str], enrolled: int, node: Json) -> Pair:
    """What the case says of this model at this node."""
    (listed, model), name = model_at, node["id"]
    memory, capacity = node.get("memory", {}), node.get("capacity", {})
    resident, disk = models(node.get("resident", [])).get(model), models(node.get("on_disk", [])).get(model)
    queue = depths(case, name)
    weights = weights_gb(case, model, disk, resident)
    return Pair(
        model=model,
        node=name,
        listed=listed,
        enrolled=enrolled,
        pending=pending(node),
        offline=offline(node),
        unreachable=not node.get("reachable", True),
        paused=bool(node.get("paused")),
        draining=bool(node.get("draining")),
        critical=memory.get("pressure") == "critical",
        learning=bool(capacity.get("learning")),
        meeting=bool(capacity.get("meeting")),
        override=capacity.get("override"),
        observed_days=capacity.get("observed_days", float("inf")),
        availability=capacity.get("availability", 1.0),
        busy_seconds=capacity.get("cpu_over_85_seconds", 0.0),
        resident=resident is not None,
        on_disk=disk is not None,
        lacks_need=lacks(disk, case["request"].get("needs", [])),
        unhealthy=model in map(normal, node.get("unhealthy", [])),
        available_gb=available_gb(case, node),
        need_gb=renamed(case.get("resident_need_gb", {})).get(model) or weights,
        weights_gb=weights,
        total_gb=memory.get("total_gb") or None,
        bandwidth=node.get("bandwidth_gbps") or None,
        median_bandwidth=median_bandwidth(case),
        depth=queue.get(model, 0),
        node_depth=sum(queue.values()),
        p75_seconds=p75_seconds(case, name, model),
        context=(resident or {}).get("context", 0),
        tokens=case["request"].get("estimated_tokens", 0),
        unloaded_ago=ago(case, renamed(node.get("unloaded_at", {})).get(model)),
        session_ago=session_ago(case, name, model),
        last_chosen=node.get("last_chosen_at", float("-inf")),
    )


def pending(node: Json) -> bool:
    """Has no operator approved the node?"""
    return bool(node.get("enrolment", "approved") != "approved")


def offline(node: Json) -> bool:
    """Has the node fallen silent?"""
    return bool(node.get("status", "online") == "offline")


def models(entries: Iterable[Json]) -> dict[str, Json]:
    """Entries by normal name; of a model listed twice, the larger."""
    return {normal(entry["name"]): entry for entry in sorted(entries, key=size_gb)}


def size_gb(entry: Json) -> float:
    """The entry's size in GB, 0 when unknown."""
    return float(entry.get("size_gb", 0))


def renamed(by_name: Mapping[str, float]) -> dict[str, float]:
    """The same mapping under normal names."""
    return {normal(name): value for name, value in by_name.items()}


def depths(case: Json, node: str) -> dict[str, int]:
    """Requests running or waiting at the node, by model."""
    queues = [queue for queue in case.get("queues", []) if queue["node"] == node]
    return {normal(queue["model"]): queue.get("in_flight", 0) + queue.get("pending", 0) for queue in queues}


def lacks(disk: Json | None, needs: list[str]) -> bool:
    """Does the node say that this model can't do what the request needs?"""
    said = (disk or {}).get("capabilities") or needs
    return not set(needs) <= set(said)


def weights_gb(case: Json, model: str, disk: Json | None, resident: Json | None) -> float:
    """This node's report, else the largest of an approved peer, else the resident size, else 100 GB."""
    peers = [models(node.get("on_disk", [])).get(model, {}) for node in case["nodes"] if not pending(node)]
    reports = (size_gb(disk or {}), max(map(size_gb, peers), default=0), size_gb(resident or {}))
    return next(filter(None, reports), UNKNOWN_WEIGHTS_GB)


def available_gb(case: Json, node: Json) -> float | None:
    """Free system RAM, with idle models if they count, capped by the ceiling of a learning node."""
    free, capacity = node.get("memory", {}).get("available_gb"), node.get("capacity", {})
    if free is None:
        return None
    if settings(case)["FLEET_FIT_COUNTS_IDLE_MODELS"]:
        free += sum(map(size_gb, filter(evictable, models(node.get("resident", [])).values())))
    ceiling = capacity.get("ceiling_gb") if capacity.get("learning") else None
    return float(free) if ceiling is None else min(free, ceiling)


def evictable(resident: Json) -> bool:
    """Would the engine unload this model for another?"""
    return bool(resident.get("idle")) and not resident.get("pinned")


def median_bandwidth(case: Json) -> float | None:
    """The median of the approved nodes that are not offline and know theirs, in GB/s."""
    nodes = [node for node in case["nodes"] if not pending(node) and not offline(node)]
    known = [node["bandwidth_gbps"] for node in nodes if node.get("bandwidth_gbps")]
    return statistics.median(known) if known else None


def p75_seconds(case: Json, node: str, model: str) -> float | None:
    """The measured 75th percentile, if enough requests were measured."""
    enough = settings(case)["FLEET_SCORE_WAIT_TIME_MIN_SAMPLES"]
    for entry in case.get("latency", []):
        measured = (entry["node"], normal(entry["model"])) == (node, model) and "p75_ms" in entry
        if measured and entry.get("samples", enough) >= enough:
            return float(entry["p75_ms"]) / 1000
    return None


def session_ago(case: Json, node: str, model: str) -> float | None:
    """Seconds since this node answered the session's last turn with this model; a turn without time is fresh."""
    turn = case.get("sessions", {}).get(case["request"].get("session"))
    if not turn or (turn["node"], normal(turn["model"])) != (node, model):
        return None
    return ago(case, turn["at"]) if "at" in turn else 0.0


def ago(case: Json, at: float | None) -> float | None:
    """Seconds from that time to the case's now."""
    return None if at is None else case["now"] - at
