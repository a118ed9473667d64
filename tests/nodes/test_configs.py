import pytest

from nodes import configs, roster
from nodes.core.configs import NodeConfig

pytestmark = pytest.mark.django_db


def test_a_node_is_loaded_as_its_operator_decided() -> None:
    node = roster.add("Studio", "http://a", "openai", {"memory_gb": 64.0, "bandwidth_gbps": 800.0, "parallel": 4})
    roster.act("Studio", "drain")
    expected = NodeConfig(
        id="studio",
        name="Studio",
        url="http://a",
        engine="openai",
        draining=True,
        granted_gb=64,
        bandwidth_gbps=800,
        parallel=4,
        added_at=node.added_at.timestamp(),
    )
    assert configs.load().nodes == (expected,)


def test_nodes_are_in_the_order_of_their_enrolment() -> None:
    for name in ("c", "a", "b"):
        roster.add(name, f"http://{name}")
    assert [node.name for node in configs.load().nodes] == ["c", "a", "b"]
