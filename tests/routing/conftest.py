"""A fleet of its own for each test that asks for one."""

from collections.abc import Iterator

import pytest

from nodes.fleet import use_fleet
from nodes.fleet.memory import MemoryFleet


@pytest.fixture
def fleet() -> Iterator[MemoryFleet]:
    """The live state that the data plane sees."""
    ours = MemoryFleet()
    use_fleet(ours)
    yield ours
    use_fleet(None)
