"""A fleet in this process, traces on their way, and a clock that tests set."""

from collections.abc import Iterator
from typing import Any

import pytest

from nodes.core.values import NodeSnapshot, QueueKey, Standing
from nodes.fleet import use_fleet
from nodes.fleet.memory import MemoryFleet
from routing.core.ranking import Ranking
from routing.core.request import Demand, InferenceRequest
from routing.recorder import Trace
from tests.routing.core.factories import MODEL, disk, fleet, ranked


@pytest.fixture
def live() -> Iterator[MemoryFleet]:
    """The fleet of this process."""
    one = MemoryFleet()
    use_fleet(one)
    yield one
    use_fleet(None)


def machine(name: str = "studio", **facts: Any) -> NodeSnapshot:
    """A node that has the model on disk."""
    return NodeSnapshot(id=name, name=name, **{"on_disk": disk(), **facts})


def running(**facts: Any) -> Trace:
    """A request that was understood and has gone nowhere yet."""
    request = InferenceRequest("1", "ollama", "/api/chat", b"", {}, MODEL, Demand((MODEL,)), True, 0.0)
    return Trace("/api/chat", "ollama", request=request, **facts)


def sent(node: NodeSnapshot | None = None, **facts: Any) -> Trace:
    """A request that an engine works on."""
    node = node or machine()
    trace = running(ranking=ranked(fleet(node)), **facts)
    trace.tries(Standing("running", QueueKey(node.id, MODEL)), node)
    return trace


NOBODY = Ranking("hold", (), ())
