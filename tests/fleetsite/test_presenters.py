from dataclasses import replace
from typing import Any

from fleetsite.presenters import node_rows
from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.values import (
    Capacity,
    DiskModel,
    FleetSnapshot,
    Memory,
    NodeSnapshot,
    QueueDepth,
    QueueKey,
    ResidentModel,
)
from routing.core.parameters import QueuePolicy

CONFIG = NodeConfig("studio", "Mac Studio", "http://studio:11434", parallel=4)
MODEL = "llama3.3:70b"
NODE = NodeSnapshot(
    "studio",
    version="0.32.2",
    memory=Memory(192, 100),
    bandwidth_gbps=800,
    parallel=4,
    resident={MODEL: ResidentModel(MODEL, 48.0, 4096, expires_at=1_700_000_300)},
    on_disk={MODEL: DiskModel(MODEL, 42.5, "sha256:1")},
    last_seen=1_700_000_000,
)


def row(config: NodeConfig = CONFIG, node: NodeSnapshot | None = NODE, **fleet: Any) -> dict[str, Any]:
    """How one node is shown."""
    nodes = (node,) if node else ()
    return node_rows(NodeConfigs((config,)), FleetSnapshot(1_700_000_000, nodes, **fleet), QueuePolicy())[0]


def test_a_node_is_shown_in_the_contracts_form() -> None:
    assert row() == {
        "id": "studio",
        "name": "Mac Studio",
        "engine": "ollama",
        "url": "http://studio:11434",
        "status": "online",
        "state": "online",
        "enrolment": "approved",
        "reachable": True,
        "trouble": "",
        "paused": False,
        "draining": False,
        "version": "0.32.2",
        "memory": {"total_gb": 192, "available_gb": 100, "pressure": "normal"},
        "bandwidth_gbps": 800,
        "parallel": 4,
        "capacity": None,
        "resident": [
            {
                "name": MODEL,
                "size_gb": 48.0,
                "context": 4096,
                "expires_at": "2023-11-14T22:18:20.000Z",
                "slots": 4,
                "in_flight": 0,
                "pending": 0,
            }
        ],
        "on_disk": [{"name": MODEL, "size_gb": 42.5, "digest": "sha256:1"}],
        "suspended": [],
        "last_seen": "2023-11-14T22:13:20.000Z",
        "alerts": [],
    }


def test_what_runs_and_waits_stands_with_its_model() -> None:
    shown = row(queues={QueueKey("studio", MODEL): QueueDepth(2, 1)})["resident"][0]
    assert (shown["in_flight"], shown["pending"]) == (2, 1)


def test_models_with_an_open_circuit_are_suspended() -> None:
    assert row(unhealthy=frozenset({QueueKey("studio", MODEL), QueueKey("mini", "m:1b")}))["suspended"] == [MODEL]


def test_capacity_is_shown_while_learning_only() -> None:
    assert row(node=replace(NODE, capacity=Capacity(learning=False)))["capacity"] is None
    assert (
        row(node=replace(NODE, capacity=Capacity(learning=True, availability=0.9)))["capacity"]["availability"] == 0.9
    )


def test_a_node_that_was_not_seen_has_what_was_decided_and_the_same_keys() -> None:
    unseen = row(node=None)
    assert (unseen["status"], unseen["reachable"], unseen["state"]) == (None, None, "unknown")
    assert unseen.keys() == row().keys()


def test_without_a_router_nodes_are_shown_unseen() -> None:
    assert node_rows(NodeConfigs((CONFIG,)), None, QueuePolicy()) == [row(node=None)]


def test_what_was_decided_is_the_state_of_a_node_that_was_not_seen() -> None:
    assert row(replace(CONFIG, enrolment="pending", paused=True), None)["state"] == "pending"
    assert row(replace(CONFIG, paused=True), None)["state"] == "paused"


def test_a_pause_is_shown_once_it_is_in_force() -> None:
    assert row(replace(CONFIG, paused=True))["paused"] is False
