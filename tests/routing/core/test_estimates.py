from typing import Any

from nodes.core.values import FleetSnapshot, NodeSnapshot
from routing.core.estimates import available_gb, known_elsewhere, need_gb, weights_here
from tests.routing.core.factories import MODEL, disk, fleet, learning, loaded, node

BARE: dict[str, Any] = {"on_disk": {}, "resident": loaded(gb=None)}


def weights_gb(here: NodeSnapshot, model: str, seen: FleetSnapshot) -> float:
    return weights_here(here, model, known_elsewhere(model, seen))


def test_the_nodes_own_report_comes_first() -> None:
    here = node("a", on_disk=disk(gb=4.0))
    assert weights_gb(here, MODEL, fleet(here, node("b", on_disk=disk(gb=9.0)))) == 4.0


def test_then_the_largest_report_of_a_peer() -> None:
    here, peers = node("a", **BARE), [node(n, on_disk=disk(gb=gb)) for n, gb in (("b", 4.0), ("c", 9.0))]
    assert weights_gb(here, MODEL, fleet(here, *peers)) == 9.0


def test_what_a_pending_node_reports_is_not_believed() -> None:
    here = node("a", **BARE)
    assert weights_gb(here, MODEL, fleet(here, node("b", on_disk=disk(gb=4.0), enrolment="pending"))) == 100.0


def test_then_the_catalogue_by_exact_name() -> None:
    here = node(on_disk=disk("llama3.3:70b", gb=None))
    assert weights_gb(here, "llama3.3:70b", fleet(here)) == 42.0


def test_then_the_resident_size() -> None:
    here = node(on_disk={}, resident=loaded(gb=12.0))
    assert weights_gb(here, MODEL, fleet(here)) == 12.0


def test_unknown_is_large() -> None:
    here = node(**BARE)
    assert weights_gb(here, MODEL, fleet(here)) == 100.0


def test_the_need_is_what_was_measured_else_the_weights() -> None:
    here = node()
    assert (need_gb(here, MODEL, fleet(here, need_gb={MODEL: 13.0})), need_gb(here, MODEL, fleet(here))) == (13.0, 10.0)


def test_available_is_free_memory_under_the_learned_ceiling() -> None:
    assert available_gb(node(free=50.0, capacity=learning(ceiling_gb=16.0))) == 16.0


def test_available_is_unknown_where_memory_is() -> None:
    assert available_gb(node(free=None, capacity=learning(ceiling_gb=16.0))) is None
