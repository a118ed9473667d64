"""The core against the oracle: ten thousand random fleets, and the worked example of the contract."""

import json
import random
from collections.abc import Callable

import pytest

from routing.core.explain import explain
from tests.conformance.facts import Json
from tests.conformance.oracle import answer
from tests.conformance.states import random_case

CHUNKS, CHUNK = 20, 500

WORKED_EXAMPLE = """
{"now": 1700000000.0,
 "parameters": {"FLEET_SCORE_MODEL_HOT": 50},
 "policy": "additive",
 "request": {"models": ["llama3.3:70b"], "estimated_tokens": 500, "session": "abc", "needs": ["tools"]},
 "nodes": [{"id": "studio", "status": "online", "enrolment": "approved", "reachable": true, "paused": false,
            "draining": false, "memory": {"total_gb": 192, "available_gb": 100, "pressure": "normal"},
            "bandwidth_gbps": 800, "parallel": 4, "last_chosen_at": 1699999990.0, "unhealthy": [],
            "resident": [{"name": "llama3.3:70b", "size_gb": 48.0, "context": 4096, "idle": false, "pinned": false}],
            "on_disk": [{"name": "llama3.3:70b", "size_gb": 42.5, "digest": "sha256:1",
                         "capabilities": ["completion", "tools"]}],
            "unloaded_at": {"qwen2.5:7b": 1699999000.0},
            "capacity": {"learning": true, "override": null, "observed_days": 21, "availability": 0.9,
                         "ceiling_gb": 153.6, "meeting": false, "cpu_over_85_seconds": 0}},
           {"id": "mini", "memory": {"total_gb": 32, "available_gb": 20},
            "on_disk": [{"name": "qwen2.5:7b", "size_gb": 4.7}]}],
 "queues": [{"node": "studio", "model": "llama3.3:70b", "in_flight": 2, "pending": 1}],
 "latency": [{"node": "studio", "model": "llama3.3:70b", "p75_ms": 6800, "samples": 120}],
 "resident_need_gb": {"llama3.3:70b": 48.0},
 "sessions": {"abc": {"model": "llama3.3:70b", "node": "studio", "at": 1699999900.0}}}
"""
ITS_SIGNALS = {
    "model_warmth": 50,
    "memory_fit": 20,
    "queue_depth": -18,
    "wait_time": -2.04,
    "role_affinity": 25,
    "availability_trend": 9,
    "context_fit": 15,
    "session_affinity": 8,
}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_core_agrees_with_the_oracle_on_random_fleets(chunk: int) -> None:
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        case = json.dumps(random_case(random.Random(seed)))
        said, expected = explain(json.loads(case)), answer(json.loads(case))
        assert decision(said) == decision(expected), f"seed {seed}: {case}"
        assert points(said) == pytest.approx(points(expected), abs=1e-9, rel=0), f"seed {seed}: {case}"


def test_the_random_fleets_meet_every_outcome_and_reason() -> None:
    verdicts = [answer(random_case(random.Random(seed))) for seed in range(CHUNK)]
    met = {verdict["outcome"] for verdict in verdicts}
    met |= {row["reason"] for verdict in verdicts for row in verdict["eliminated"]}
    outcomes = {"route", "hold", "unknown_model", "invalid"}
    by_operators = {"pending", "paused", "draining"}
    by_themselves = {"offline", "unreachable", "memory_pressure", "capacity", "unhealthy"}
    assert met == outcomes | by_operators | by_themselves | {"model_absent", "capability", "no_memory"}


@pytest.mark.parametrize("judge", [explain, answer], ids=["core", "oracle"])
def test_the_worked_example_comes_out_as_written(judge: Callable[[Json], Json]) -> None:
    verdict = judge(json.loads(WORKED_EXAMPLE))
    assert decision(verdict) == {
        "outcome": "route",
        "winner": ("llama3.3:70b", "studio"),
        "order": [("llama3.3:70b", "studio")],
        "eliminated": [("llama3.3:70b", "mini", "model_absent")],
    }
    assert verdict["ranking"][0]["score"] == pytest.approx(106.96, abs=1e-9)
    assert verdict["ranking"][0]["signals"] == pytest.approx(ITS_SIGNALS, abs=1e-9)


def decision(verdict: Json) -> Json:
    """What was decided, without the points; the order of eliminated rows is free."""
    rows, out = verdict["ranking"], verdict["eliminated"]
    return {
        "outcome": verdict["outcome"],
        "winner": (verdict["model"], verdict["node"]) if rows else verdict["node"],
        "order": [(row["model"], row["node"]) for row in rows],
        "eliminated": sorted((row["model"], row["node"], row["reason"]) for row in out),
    }


def points(verdict: Json) -> dict[tuple[int, str], float]:
    """The score and every signal of each ranked pair."""
    rows = enumerate(verdict["ranking"])
    return {(place, name): value for place, row in rows for name, value in scores(row).items()}


def scores(row: Json) -> dict[str, float]:
    """A row's signals and their sum."""
    return {"score": row["score"], **row["signals"]}
