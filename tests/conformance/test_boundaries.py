"""Every boundary of the written rules as a case worked out by hand, put to the core and to the oracle."""

from collections.abc import Callable

import pytest

from routing.core.explain import explain
from tests.conformance.boundaries import ELIMINATION, MODEL, NOW, SIGNALS
from tests.conformance.facts import Json
from tests.conformance.oracle import answer

Judge = Callable[[Json], Json]


@pytest.fixture(params=[explain, answer], ids=["core", "oracle"])
def judge(request: pytest.FixtureRequest) -> Judge:
    """The code under test, and what it is measured against."""
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize(("case", "reason"), ELIMINATION.values(), ids=ELIMINATION)
def test_the_first_true_reason_is_given(judge: Judge, case: Json, reason: str | None) -> None:
    assert [row["reason"] for row in judge(case)["eliminated"]] == ([reason] if reason else [])


@pytest.mark.parametrize(("case", "signal", "points"), SIGNALS.values(), ids=SIGNALS)
def test_a_signal_gives_its_points(judge: Judge, case: Json, signal: str, points: float) -> None:
    assert judge(case)["ranking"][0]["signals"][signal] == pytest.approx(points, abs=1e-9)


def fleet(*nodes: Json, models: tuple[str, ...] = (MODEL,), **rest: object) -> Json:
    """A question to several nodes of unknown memory; each has a 10 GB model on disk unless it says otherwise."""
    usual = {"on_disk": [{"name": MODEL, "size_gb": 10}]}
    return {"now": NOW, "request": {"models": list(models)}, "nodes": [{**usual, **node} for node in nodes], **rest}


def order(verdict: Json) -> list[tuple[str, str]]:
    """The ranking's pairs without their points."""
    return [(row["model"], row["node"]) for row in verdict["ranking"]]


def nodes_in_order(verdict: Json) -> list[str]:
    """The ranking's nodes."""
    return [row["node"] for row in verdict["ranking"]]


def test_of_two_that_tie_the_one_with_fewer_requests_leads(judge: Judge) -> None:
    elsewhere = [{"node": "a", "model": "other:1b", "in_flight": 1}]
    assert nodes_in_order(judge(fleet({"id": "a"}, {"id": "b"}, queues=elsewhere))) == ["b", "a"]


def test_of_two_that_tie_the_one_less_recently_chosen_leads(judge: Judge) -> None:
    nodes = {"id": "a", "last_chosen_at": NOW - 1}, {"id": "b", "last_chosen_at": NOW - 9}
    assert nodes_in_order(judge(fleet(*nodes))) == ["b", "a"]


def test_of_two_that_tie_the_one_never_chosen_leads(judge: Judge) -> None:
    assert nodes_in_order(judge(fleet({"id": "a", "last_chosen_at": NOW - 9}, {"id": "b"}))) == ["b", "a"]


def test_of_two_that_tie_in_all_the_one_enrolled_first_leads(judge: Judge) -> None:
    assert nodes_in_order(judge(fleet({"id": "b"}, {"id": "a"}))) == ["b", "a"]


def test_a_loaded_fallback_comes_before_a_cold_primary(judge: Judge) -> None:
    nodes = {"id": "a"}, {"id": "b", "resident": [{"name": "spare:1b"}], "on_disk": []}
    verdict = judge(fleet(*nodes, models=(MODEL, "spare:1b")))
    assert order(verdict) == [("spare:1b", "b"), (MODEL, "a")]


def test_of_loaded_models_the_first_of_the_list_comes_first(judge: Judge) -> None:
    nodes = {"id": "a", "resident": [{"name": "spare:1b"}]}, {"id": "b", "resident": [{"name": MODEL}]}
    busy = [{"node": "b", "model": MODEL, "in_flight": 5}]
    verdict = judge(fleet(*nodes, models=(MODEL, "spare:1b"), queues=busy))
    assert order(verdict) == [(MODEL, "b"), ("spare:1b", "a"), (MODEL, "a")]


def test_without_fallbacks_an_idle_cold_node_may_beat_a_busy_loaded_one(judge: Judge) -> None:
    nodes = {"id": "a", "resident": [{"name": MODEL}]}, {"id": "b", "memory": {"available_gb": 100}}
    busy = [{"node": "a", "model": MODEL, "in_flight": 12}]
    slow = [{"node": "a", "model": MODEL, "p75_ms": 60000}]
    assert nodes_in_order(judge(fleet(*nodes, queues=busy, latency=slow))) == ["b", "a"]


def test_a_model_asked_twice_is_asked_once(judge: Judge) -> None:
    verdict = judge(fleet({"id": "a"}, models=(MODEL, "ACME:1b", "library/acme:1b")))
    assert order(verdict) == [(MODEL, "a")]


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("acme", "acme:latest"),
        ("acme:latest", "ACME"),
        ("registry.ollama.ai/library/acme:1b", "acme:1B"),
        ("team/acme", "registry.ollama.ai/team/acme:latest"),
        ("hf.example/team/acme:Q4_K_M", "HF.example/Team/acme:q4_k_m"),
    ],
)
def test_spellings_of_a_name_are_one_name(judge: Judge, asked: str, listed: str) -> None:
    node = {"id": "a", "on_disk": [{"name": listed, "size_gb": 10}]}
    assert judge(fleet(node, models=(asked,)))["outcome"] == "route"


def test_a_default_tag_is_not_every_tag(judge: Judge) -> None:
    assert judge(fleet({"id": "a"}, models=("acme",)))["outcome"] == "unknown_model"


def test_of_a_model_listed_twice_the_larger_size_counts(judge: Judge) -> None:
    twice = [{"name": MODEL, "size_gb": 30}, {"name": "Acme:1b", "size_gb": 10}]
    verdict = judge(fleet({"id": "a", "on_disk": twice, "memory": {"available_gb": 20}}))
    assert verdict["eliminated"] == [{"model": MODEL, "node": "a", "reason": "no_memory"}]


def test_an_unknown_size_is_taken_from_the_largest_peer(judge: Judge) -> None:
    peers = [{"id": name, "on_disk": [{"name": MODEL, "size_gb": size}]} for name, size in (("b", 10), ("c", 30))]
    asking = {"id": "a", "on_disk": [{"name": MODEL, "size_gb": 0}], "memory": {"available_gb": 20}}
    assert judge(fleet(asking, *peers))["eliminated"][0]["reason"] == "no_memory"


def test_a_pending_peer_tells_no_size(judge: Judge) -> None:
    peer = {"id": "b", "enrolment": "pending"}
    asking = {"id": "a", "on_disk": [{"name": MODEL}], "memory": {"available_gb": 20}}
    assert [row["reason"] for row in judge(fleet(asking, peer))["eliminated"]] == ["no_memory", "pending"]


@pytest.mark.parametrize(
    ("bandwidths", "points"),
    [((400, 100), -12 / 1.6), ((400, 100, 100), -12 / 4), ((50, 400, 400), -30), ((1000, 100, 100), -12 / 4)],
)
def test_a_queue_counts_by_speed_relative_to_the_median(
    judge: Judge, bandwidths: tuple[int, ...], points: float
) -> None:
    nodes = [{"id": str(number), "bandwidth_gbps": speed} for number, speed in enumerate(bandwidths)]
    queues = [{"node": "0", "model": MODEL, "in_flight": 2}]
    normalised = {"FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE": True}
    rows = judge(fleet(*nodes, queues=queues, parameters=normalised))["ranking"]
    assert next(row for row in rows if row["node"] == "0")["signals"]["queue_depth"] == pytest.approx(points, abs=1e-9)


def test_an_offline_node_is_not_in_the_median(judge: Judge) -> None:
    nodes = {"id": "0", "bandwidth_gbps": 400}, {"id": "1", "bandwidth_gbps": 100, "status": "offline"}
    queues = [{"node": "0", "model": MODEL, "in_flight": 2}]
    normalised = {"FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE": True}
    assert judge(fleet(*nodes, queues=queues, parameters=normalised))["ranking"][0]["signals"]["queue_depth"] == -12


def test_a_model_of_an_offline_node_is_known(judge: Judge) -> None:
    assert judge(fleet({"id": "a", "status": "offline"}))["outcome"] == "hold"


def test_a_model_of_a_pending_node_is_unknown(judge: Judge) -> None:
    nodes = {"id": "a", "enrolment": "pending"}, {"id": "b", "on_disk": []}
    assert judge(fleet(*nodes))["outcome"] == "unknown_model"


@pytest.mark.parametrize("nodes", [(), ({"id": "a", "enrolment": "pending"},)], ids=["no node", "none approved"])
def test_without_an_approved_node_the_request_is_held(judge: Judge, nodes: tuple[Json, ...]) -> None:
    assert judge(fleet(*nodes))["outcome"] == "hold"


def test_a_need_that_every_holder_denies_is_invalid_even_when_one_is_offline(judge: Judge) -> None:
    blind = {"on_disk": [{"name": MODEL, "size_gb": 10, "capabilities": ["completion"]}]}
    case = fleet({"id": "a", **blind}, {"id": "b", "status": "offline", **blind})
    case["request"]["needs"] = ["vision"]
    assert judge(case)["outcome"] == "invalid"


def test_a_need_that_an_offline_holder_may_meet_is_waited_for(judge: Judge) -> None:
    blind = {"on_disk": [{"name": MODEL, "size_gb": 10, "capabilities": ["completion"]}]}
    case = fleet({"id": "a", **blind}, {"id": "b", "status": "offline"})
    case["request"]["needs"] = ["vision"]
    assert judge(case)["outcome"] == "hold"


@pytest.mark.parametrize(("depth", "lead"), [(0, 20), (1, 20 / 1.5 - 6), (2, -2)])
def test_the_node_of_a_session_leads_by_less_as_its_queue_grows(judge: Judge, depth: int, lead: float) -> None:
    case = fleet(*({"id": name, "resident": [{"name": MODEL}]} for name in "ab"))
    case["request"]["session"] = "s"
    case["sessions"] = {"s": {"model": MODEL, "node": "a", "at": NOW}}
    case["queues"] = [{"node": "a", "model": MODEL, "in_flight": depth}]
    signals = {row["node"]: row["signals"] for row in judge(case)["ranking"]}
    three_and_eight = {name: each["queue_depth"] + each["session_affinity"] for name, each in signals.items()}
    assert three_and_eight["a"] - three_and_eight["b"] == pytest.approx(lead, abs=1e-9)


def test_what_is_null_is_not_given(judge: Judge) -> None:
    unsaid = dict.fromkeys(
        ("status", "memory", "bandwidth_gbps", "unhealthy", "resident", "capacity", "last_chosen_at")
    )
    assert judge(fleet({"id": "a", **unsaid}, queues=None)) == judge(fleet({"id": "a"}))
