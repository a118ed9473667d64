"""What an answer says of its decision."""

import pytest

from nodes.core.values import FleetSnapshot, Pin, QueueKey, Standing
from routing.core.ranking import Policy, rank
from routing.headers import decision_headers
from tests.routing.factories import MODEL, node, request, trace


def said(asked: str, served: str, retried: int = 0) -> dict[bytes, bytes]:
    """The headers of a request that was asked and served so, after so many failures."""
    nodes = [node(name, served) for name in ("a", "b", "c")]
    known = trace(request(model=asked, fallback_models=[served]), *nodes)
    for each in nodes[: retried + 1]:
        known.tries(Standing("running", QueueKey(each.id, served)), each)
    return dict(decision_headers(known))


@pytest.mark.parametrize("asked", ["acme", "acme:latest", "ACME", "registry.ollama.ai/library/acme"])
def test_a_model_under_another_spelling_is_no_fallback(asked: str) -> None:
    assert said(asked, "acme:latest")[b"x-fleet-fallback"] == b"false"


def test_another_model_is_a_fallback() -> None:
    assert said(MODEL, "other:3b")[b"x-fleet-fallback"] == b"true"


def test_after_a_retry_the_node_is_the_one_that_serves() -> None:
    headers = said(MODEL, MODEL, retried=2)
    assert (headers[b"x-fleet-node"], headers[b"x-fleet-retries"]) == (b"c", b"2")


@pytest.mark.parametrize(("ago", "affinity"), [(60.0, b"matched"), (3600.0, b"new")])
def test_the_node_of_the_last_turn_matches_while_that_turn_counts(ago: float, affinity: bytes) -> None:
    asked, studio = request(), node()
    known = trace(asked, studio)
    known.ranked(rank(FleetSnapshot(ago, (studio,)), asked.demand, Policy(), Pin(MODEL, "studio", 0.0)))
    known.tries(Standing("running", QueueKey("studio", MODEL)), studio)
    assert dict(decision_headers(known))[b"x-fleet-affinity"] == affinity
