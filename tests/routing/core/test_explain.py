import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.core.explain import explain

CASE: dict[str, Any] = {
    "now": 1700000000.0,
    "parameters": {"FLEET_SCORE_MODEL_HOT": 50},
    "policy": "additive",
    "request": {"models": ["llama3.3:70b"], "estimated_tokens": 500, "session": "abc", "needs": ["tools"]},
    "nodes": [
        {
            "id": "studio",
            "status": "online",
            "enrolment": "approved",
            "reachable": True,
            "paused": False,
            "draining": False,
            "memory": {"total_gb": 192, "available_gb": 100, "pressure": "normal"},
            "bandwidth_gbps": 800,
            "parallel": 4,
            "last_chosen_at": 1699999990.0,
            "unhealthy": [],
            "resident": [{"name": "llama3.3:70b", "size_gb": 48.0, "context": 4096, "idle": False, "pinned": False}],
            "on_disk": [
                {
                    "name": "llama3.3:70b",
                    "size_gb": 42.5,
                    "digest": "sha256:0a",
                    "capabilities": ["completion", "tools"],
                }
            ],
            "unloaded_at": {"qwen2.5:7b": 1699999000.0},
            "capacity": {
                "learning": True,
                "override": None,
                "observed_days": 21,
                "availability": 0.9,
                "ceiling_gb": 153.6,
                "meeting": False,
                "cpu_over_85_seconds": 0,
            },
        },
        {
            "id": "mini",
            "memory": {"total_gb": 32, "available_gb": 20},
            "on_disk": [{"name": "qwen2.5:7b", "size_gb": 4.7}],
        },
    ],
    "queues": [{"node": "studio", "model": "llama3.3:70b", "in_flight": 2, "pending": 1}],
    "latency": [{"node": "studio", "model": "llama3.3:70b", "p75_ms": 6800, "samples": 120}],
    "resident_need_gb": {"llama3.3:70b": 48.0},
    "sessions": {"abc": {"model": "llama3.3:70b", "node": "studio", "at": 1699999900.0}},
}
SMALL: dict[str, Any] = {
    "request": {"models": ["acme:7b"]},
    "nodes": [{"id": "a", "on_disk": [{"name": "acme:7b", "size_gb": 5}]}],
}


def small(**changes: Any) -> dict[str, Any]:
    """The small case with some of its keys, or of its node's, changed."""
    case = copy.deepcopy(SMALL)
    for key, value in changes.items():
        (case if key in ("now", "parameters", "policy", "request", "nodes", "queues", "latency") else case["nodes"][0])[
            key
        ] = value
    return case


def signals(case: dict[str, Any]) -> dict[str, float]:
    answer: dict[str, float] = explain(case)["ranking"][0]["signals"]
    return answer


def test_the_worked_example() -> None:
    expected = {
        "model_warmth": 50,
        "memory_fit": 20,
        "queue_depth": -18,
        "wait_time": -2.04,
        "role_affinity": 25,
        "availability_trend": 9,
        "context_fit": 15,
        "session_affinity": 8,
    }
    assert signals(CASE) == pytest.approx(expected, abs=1e-9)


def test_the_worked_example_in_full() -> None:
    answer = explain(CASE)
    [row] = answer.pop("ranking")
    assert (row["model"], row["node"], row["score"]) == ("llama3.3:70b", "studio", 106.96)
    assert answer == {
        "outcome": "route",
        "model": "llama3.3:70b",
        "node": "studio",
        "eliminated": [{"model": "llama3.3:70b", "node": "mini", "reason": "model_absent"}],
    }


def test_an_answer_is_json() -> None:
    assert json.loads(json.dumps(explain(CASE))) == explain(CASE)


def test_a_case_says_only_what_matters() -> None:
    assert explain(SMALL)["node"] == "a"


def test_without_a_node_the_winner_is_null() -> None:
    answer = explain(small(paused=True))
    assert (answer["outcome"], answer["model"], answer["node"]) == ("hold", None, None)


def test_names_are_normalised() -> None:
    spelled = small(request={"models": ["registry.ollama.ai/library/ACME:7B"]})
    assert explain(spelled)["model"] == "acme:7b"


def test_null_is_as_good_as_missing() -> None:
    nulls = dict.fromkeys(("memory", "bandwidth_gbps", "resident", "capacity", "status", "unloaded_at"))
    assert explain(small(**nulls)) == explain(SMALL)


def test_a_model_listed_twice_is_the_larger() -> None:
    twice = [{"name": "acme:7b", "size_gb": 5}, {"name": "ACME:7b", "size_gb": 30}]
    assert signals(small(on_disk=twice, bandwidth_gbps=800))["role_affinity"] == 25


@pytest.mark.parametrize("zero", [{"bandwidth_gbps": 0}, {"on_disk": [{"name": "acme:7b", "size_gb": 0}]}])
def test_a_bandwidth_or_size_of_nothing_is_unknown(zero: dict[str, Any]) -> None:
    known = {"bandwidth_gbps": None} if "bandwidth_gbps" in zero else {"on_disk": [{"name": "acme:7b"}]}
    assert explain(small(**zero)) == explain(small(**known))


def test_a_context_of_nothing_is_unknown() -> None:
    case = small(resident=[{"name": "acme:7b", "context": 0}], request={"models": ["acme:7b"], "estimated_tokens": 9})
    assert signals(case)["context_fit"] == 0


def test_no_capabilities_listed_is_unknown() -> None:
    case = small(on_disk=[{"name": "acme:7b", "size_gb": 5, "capabilities": []}])
    case["request"]["needs"] = ["tools"]
    assert explain(case)["outcome"] == "route"


def test_latency_without_a_count_of_samples_is_believed() -> None:
    busy = {"queues": [{"node": "a", "model": "acme:7b", "in_flight": 1}]}
    case = small(latency=[{"node": "a", "model": "acme:7b", "p75_ms": 50_000}], **busy)
    assert signals(case)["wait_time"] == -5


def test_a_turn_without_a_time_is_fresh() -> None:
    case = small(resident=[{"name": "acme:7b"}])
    case["request"]["session"] = "s"
    assert signals({**case, "sessions": {"s": {"model": "ACME:7b", "node": "a"}}})["session_affinity"] == 20


def test_a_turn_of_another_session_counts_for_nothing() -> None:
    case = {**small(resident=[{"name": "acme:7b"}]), "sessions": {"s": {"model": "acme:7b", "node": "a"}}}
    assert signals(case)["session_affinity"] == 0


def test_a_queue_written_twice_is_the_sum() -> None:
    rows = [{"node": "a", "model": name, "pending": 1} for name in ("acme:7b", "ACME:7b")]
    assert signals(small(queues=rows))["queue_depth"] == -12


def test_parameters_are_given_by_environment_name() -> None:
    assert signals(small(parameters={"FLEET_SCORE_MODEL_COLD": "12.5"}))["model_warmth"] == 12.5


def test_a_parameter_of_another_part_changes_nothing() -> None:
    assert explain(small(parameters={"FLEET_MAX_QUEUE": 7})) == explain(SMALL)


BAD: list[tuple[Any, str]] = [
    ([], "the case: [] is not an object"),
    ("x", "the case: 'x' is not an object"),
    ({}, "request.models: names no model"),
    (small(request={"models": "acme:7b"}), "request.models: 'acme:7b' is not a list"),
    (small(request={"models": [" "]}), "request.models[0]: ' ' is not a name"),
    (small(request={"models": ["m"], "estimated_tokens": -1}), "request.estimated_tokens: -1 is below 0"),
    (small(request={"models": ["m"], "estimated_tokens": 1.5}), "request.estimated_tokens: 1.5 is not a whole number"),
    (small(policy="completion_time"), "policy: 'completion_time' is none of additive"),
    (small(policy=7), "policy: 7 is not a name"),
    (small(parameters={"FLEET_NOPE": 1}), "parameters.FLEET_NOPE: there is no such parameter"),
    (small(parameters={"FLEET_SCORE_MODEL_HOT": "much"}), "FLEET_SCORE_MODEL_HOT: 'much' is not a number"),
    (small(parameters={"FLEET_SCORE_MODEL_HOT": 9999}), "FLEET_SCORE_MODEL_HOT: 9999.0 is outside 0 to 1000"),
    (small(nodes={}), "nodes: {} is not a list"),
    (small(nodes=[{}]), "nodes[0].id: missing"),
    (small(nodes=[{"id": "a"}, {"id": "a"}]), "nodes[1].id: 'a' is there twice"),
    (small(status="asleep"), "nodes[0].status: 'asleep' is none of online, degraded, offline"),
    (small(paused="yes"), "nodes[0].paused: 'yes' is neither true nor false"),
    (small(memory={"total_gb": "64"}), "nodes[0].memory.total_gb: '64' is not a number"),
    (small(memory={"total_gb": True}), "nodes[0].memory.total_gb: True is not a number"),
    (small(memory={"available_gb": float("nan")}), "nodes[0].memory.available_gb: nan is not a number"),
    (small(memory={"available_gb": 10**400}), "is too large"),
    (small(bandwidth_gbps=float("inf")), "nodes[0].bandwidth_gbps: inf is not a number"),
    (small(resident=[7]), "nodes[0].resident[0]: 7 is not an object"),
    (small(resident=[{}]), "nodes[0].resident[0].name: missing"),
    (small(unloaded_at={"m": 1.0}), "now: missing, and nodes[0].unloaded_at is a time"),
    (small(unloaded_at={"m": "noon"}, now=1), "nodes[0].unloaded_at.m: 'noon' is not a number"),
    (small(capacity={"override": "off"}), "nodes[0].capacity.override: 'off' is none of none, pause, full"),
    (small(queues=[{"node": "a"}]), "queues[0].model: missing"),
    (small(latency=[{"node": "a", "model": "m"}]), "latency[0].p75_ms: missing"),
]


@pytest.mark.parametrize(("case", "complaint"), BAD)
def test_a_bad_case_is_told_which_field_is_wrong_and_how(case: Any, complaint: str) -> None:
    answer = explain(case)
    assert list(answer) == ["error"]
    assert complaint in answer["error"]


@pytest.mark.parametrize("overflowing", [10**400, "1e999"])
def test_a_parameter_too_large_for_a_number_is_an_error(overflowing: object) -> None:
    assert "FLEET_SCORE_MODEL_HOT" in explain(small(parameters={"FLEET_SCORE_MODEL_HOT": overflowing}))["error"]


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a case."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


@settings(deadline=None)
@given(place=st.sampled_from(places(CASE)), value=junk)
def test_no_case_however_wrong_is_left_without_an_answer(place: tuple[Any, ...], value: Any) -> None:
    case = {"case": copy.deepcopy(CASE)}
    inner: Any = case
    *way, last = ("case", *place)
    for key in way:
        inner = inner[key]
    inner[last] = value
    assert {"error", "outcome"} & explain(case["case"]).keys()
