"""Merging: the operator's words, what was known, what was said."""

import pytest

from nodes.core.configs import NodeConfig
from nodes.core.heartbeat import REMEMBER_UNLOADED, merge
from nodes.core.report import NodeReport
from nodes.core.values import Capacity, DiskModel, Memory, NodeSnapshot, ResidentModel
from tests.nodes.parts import NOW, config

QWEN = ResidentModel("qwen2.5:7b", 6.0)
LLAMA = ResidentModel("llama3.2:3b", 3.0)


def said(*resident: ResidentModel, **more: object) -> NodeReport:
    return NodeReport(seen_at=NOW, reachable=True, resident={m.name: m for m in resident}, **more)  # type: ignore[arg-type]


def agent(**more: object) -> NodeConfig:
    return config(credential="ab" * 32, **more)


def known(*resident: ResidentModel, **more: object) -> NodeSnapshot:
    return merge(None, config(**more), said(*resident), NOW)


def test_a_node_that_was_never_read_is_not_reachable_and_says_so() -> None:
    node = merge(None, config(), None, NOW)
    assert (node.reachable, node.last_seen, bool(node.trouble)) == (False, 0.0, True)


@pytest.mark.parametrize(
    ("word", "value"),
    [("paused", True), ("draining", True), ("enrolment", "pending"), ("parallel", 4), ("bandwidth_gbps", 400.0)],
)
def test_the_operators_word_holds_at_once(word: str, value: object) -> None:
    assert getattr(merge(known(QWEN), config(**{word: value}), None, NOW), word) == value


@pytest.mark.parametrize("word", ["paused", "draining", "parallel", "bandwidth_gbps", "granted_gb"])
def test_a_word_that_the_operator_takes_back_is_gone(word: str) -> None:
    before = known(QWEN, **{word: 4})
    plain = merge(None, config(), said(QWEN), NOW)
    assert getattr(merge(before, config(), None, NOW), word) == getattr(plain, word)


def test_a_change_of_configuration_keeps_what_the_node_last_said() -> None:
    before = known(QWEN)
    after = merge(before, config(paused=True), None, NOW + 9)
    assert (after.resident, after.last_seen, after.reachable) == (before.resident, NOW, True)


def test_a_model_that_left_memory_is_remembered_with_the_time() -> None:
    assert merge(known(QWEN, LLAMA), config(), said(LLAMA), NOW + 5).unloaded_at == {"qwen2.5:7b": NOW + 5}


def test_a_model_that_came_back_is_not_unloaded() -> None:
    gone = merge(known(QWEN), config(), said(), NOW + 5)
    assert merge(gone, config(), said(QWEN), NOW + 10).unloaded_at == {}


def test_after_a_day_an_unloaded_model_is_forgotten() -> None:
    gone = merge(known(QWEN), config(), said(), NOW)
    assert merge(gone, config(), said(), NOW + REMEMBER_UNLOADED).unloaded_at == {}


def test_a_failed_reading_keeps_the_models_and_unloads_none() -> None:
    failed = merge(known(QWEN), config(), NodeReport(reachable=False, trouble="refused"), NOW + 5)
    assert (dict(failed.resident), dict(failed.unloaded_at)) == ({"qwen2.5:7b": QWEN}, {})


def test_a_failed_reading_is_no_sign_of_life() -> None:
    assert merge(known(), config(), NodeReport(reachable=False, trouble="refused"), NOW + 5).last_seen == NOW


def test_a_slow_node_stays_reachable_and_its_trouble_is_told() -> None:
    slow = merge(known(), config(), NodeReport(trouble="slow"), NOW + 5)
    assert (slow.reachable, slow.trouble) == (True, "slow")


def test_a_slow_node_that_was_never_reached_stays_unreachable() -> None:
    assert merge(None, config(), NodeReport(trouble="slow"), NOW).reachable is False


def test_a_good_reading_ends_the_trouble() -> None:
    assert merge(merge(None, config(), None, NOW), config(), said(), NOW).trouble == ""


def test_an_agents_heartbeat_says_nothing_of_reachability() -> None:
    failed = merge(None, agent(), NodeReport(reachable=False, trouble="refused"), NOW)
    beaten = merge(failed, agent(), NodeReport(seen_at=NOW), NOW)
    assert (beaten.reachable, beaten.trouble) == (False, "refused")


@pytest.mark.parametrize(
    ("granted", "resident", "disk", "memory"),
    [
        (None, [QWEN], {}, Memory()),
        (16.0, [], {}, Memory(16.0, 16.0)),
        (16.0, [QWEN, LLAMA], {}, Memory(16.0, 7.0)),
        (4.0, [QWEN], {}, Memory(4.0, 0.0)),
        (16.0, [ResidentModel("m:latest")], {"m:latest": DiskModel("m:latest", 5.0)}, Memory(16.0, 11.0)),
        (16.0, [ResidentModel("m:latest")], {}, Memory(16.0, 16.0)),
    ],
    ids=["no grant", "empty", "two models", "more than granted", "size unknown: its weights", "nothing known"],
)
def test_memory_of_a_node_without_agent(
    granted: float | None, resident: list[ResidentModel], disk: dict[str, DiskModel], memory: Memory
) -> None:
    assert merge(None, config(granted_gb=granted), said(*resident, on_disk=disk), NOW).memory == memory


def test_an_agents_measurement_is_capped_by_the_grant() -> None:
    report = said(QWEN, memory=Memory(64.0, 40.0, "warn"))
    assert merge(None, agent(granted_gb=16.0), report, NOW).memory == Memory(64.0, 10.0, "warn")


def test_an_agents_words_last_until_its_next_ones() -> None:
    report = said(memory=Memory(64.0, 40.0), bandwidth_gbps=400.0, capacity=Capacity(learning=True), draining=True)
    node = merge(merge(None, agent(), report, NOW), agent(), None, NOW)
    assert (node.memory, node.bandwidth_gbps, node.capacity, node.draining) == (
        Memory(64.0, 40.0),
        400.0,
        Capacity(learning=True),
        True,
    )


def test_the_operators_bandwidth_beats_the_agents() -> None:
    assert merge(None, agent(bandwidth_gbps=800.0), said(bandwidth_gbps=400.0), NOW).bandwidth_gbps == 800.0


def test_an_agent_that_no_longer_drains_is_back() -> None:
    draining = merge(None, agent(), said(draining=True), NOW)
    assert merge(draining, agent(), said(draining=False), NOW).draining is False


def test_an_operators_drain_outlasts_the_agents_heartbeats() -> None:
    assert merge(None, agent(draining=True), said(draining=False), NOW).draining is True


def test_a_heartbeat_without_capacity_ends_learning() -> None:
    learning = merge(None, agent(), said(capacity=Capacity(learning=True)), NOW)
    assert merge(learning, agent(), said(), NOW).capacity is None


def test_traffic_later_than_the_reading_is_not_forgotten() -> None:
    before = NodeSnapshot("studio", last_seen=NOW + 3)
    assert merge(before, config(), said(), NOW + 4).last_seen == NOW + 3
