"""When the router can route."""

from dataclasses import replace
from typing import Any

import pytest

from fleetsite.health import healthz, why_not
from nodes.core.values import FleetSnapshot, NodeSnapshot

NODE = NodeSnapshot("a")


def test_a_node_that_serves_is_enough() -> None:
    assert why_not(FleetSnapshot(0, (replace(NODE, paused=True), NODE))) == ""


def test_a_degraded_node_serves() -> None:
    assert why_not(FleetSnapshot(0, (replace(NODE, status="degraded"),))) == ""


@pytest.mark.parametrize("nodes", [(), (replace(NODE, enrolment="pending"),)])
def test_without_an_approved_node_it_says_how_to_add_one(nodes: tuple[NodeSnapshot, ...]) -> None:
    assert "node add" in why_not(FleetSnapshot(0, nodes))


@pytest.mark.parametrize(
    "change", [{"paused": True}, {"draining": True}, {"reachable": False}, {"status": "offline"}], ids=str
)
def test_a_node_that_takes_nothing_is_not_enough(change: dict[str, Any]) -> None:
    assert why_not(FleetSnapshot(0, (replace(NODE, **change),))).startswith("No node takes requests")


async def test_health_needs_no_fleet() -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await healthz({}, None, send)
    assert (sent[0]["status"], sent[1]["body"]) == (200, b'{"status":"ok"}')
