"""The JSON form of a heartbeat."""

from typing import Any

import pytest

from nodes.core.heartbeat_form import heartbeat_of
from nodes.core.report import NodeReport
from nodes.core.values import Capacity, DiskModel, Memory, ResidentModel
from nodes.lib.shape import Misshapen
from tests.nodes.parts import NOW
from tests.nodes.recorded import HEARTBEAT

LEAST = {"schema": 1, "node": "studio", "boot": "b1", "sequence": 0}


def report(**said: Any) -> NodeReport:
    return heartbeat_of(LEAST | said, NOW).report


def test_a_whole_heartbeat_is_a_report() -> None:
    assert heartbeat_of(HEARTBEAT, NOW).report == NodeReport(
        seen_at=NOW,
        flavour="ollama",
        version="0.32.2",
        resident={"qwen2.5:7b": ResidentModel("qwen2.5:7b", 6.0, 8192, False, True, NOW + 300)},
        on_disk={
            "qwen2.5:7b": DiskModel(
                "qwen2.5:7b",
                4.7,
                "sha256:ab",
                frozenset({"completion", "tools"}),
                "Qwen2.5:7b",
                NOW - 86400,
                {"family": "qwen2"},
            )
        },
        memory=Memory(64.0, 40.0, "warn"),
        engine_parallel=4,
        bandwidth_gbps=400.0,
        capacity=Capacity(learning=True, observed_days=21.0, availability=0.9, ceiling_gb=51.2),
        draining=False,
        cpu_percent=7.5,
        utc_offset=7200,
    )


def test_the_least_heartbeat_says_only_that_the_node_lives() -> None:
    assert report() == NodeReport(seen_at=NOW, draining=False)


def test_an_engine_that_did_not_answer_its_agent_has_not_lost_its_models() -> None:
    assert (report(engine=None).resident, report(engine=None).on_disk) == (None, None)


def test_a_heartbeat_says_nothing_of_reachability() -> None:
    assert heartbeat_of(HEARTBEAT, NOW).report.reachable is None


@pytest.mark.parametrize(
    ("given", "total"), [(64 * 2**30, 64.0), (16_500_000_000, 16.0), (2**30 + 1, 2.0), (0, None), (None, None)]
)
def test_a_memory_total_is_nominal(given: int | None, total: float | None) -> None:
    assert (report(memory={"total_bytes": given}).memory or Memory(-1)).total_gb == total


def test_no_memory_available_is_not_unknown() -> None:
    assert (report(memory={"available_bytes": 0}).memory or Memory()).available_gb == 0.0


def test_zero_is_unknown_where_nothing_is_of_size_zero() -> None:
    engine = {"resident": [{"name": "a", "size_bytes": 0, "context": 0}], "on_disk": [], "parallel": 0}
    said = report(engine=engine, bandwidth_gbps=0)
    model = (said.resident or {})["a:latest"]
    assert (model.size_gb, model.context, said.engine_parallel, said.bandwidth_gbps) == (None, None, None, None)


def test_a_field_of_a_later_agent_is_ignored() -> None:
    assert report(later={"x": 1}) == report()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ([], "the body"),
        ({}, "schema"),
        (LEAST | {"schema": 2}, "schema"),
        (LEAST | {"node": ""}, "node"),
        (LEAST | {"sequence": -1}, "sequence"),
        (LEAST | {"draining": "no"}, "draining"),
        (LEAST | {"memory": {"total_bytes": "64 GB"}}, "memory.total_bytes"),
        (LEAST | {"memory": {"pressure": "high"}}, "memory.pressure"),
        (LEAST | {"cpu": {"percent": 101}}, "cpu.percent"),
        (LEAST | {"utc_offset": 100000}, "utc_offset"),
        (LEAST | {"engine": {"on_disk": []}}, "engine.resident"),
        (LEAST | {"engine": {"resident": [{"name": ""}], "on_disk": []}}, "engine.resident[0].name"),
        (LEAST | {"capacity": {"availability": 1.5}}, "capacity.availability"),
        (LEAST | {"capacity": {"override": "sleep"}}, "capacity.override"),
    ],
)
def test_a_wrong_field_is_named(said: Any, field: str) -> None:
    with pytest.raises(Misshapen) as raised:
        heartbeat_of(said, NOW)
    assert raised.value.field == field
