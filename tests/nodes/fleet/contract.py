"""What every fleet must do, whatever keeps its state: an adapter's tests derive FleetContract and give `opened`."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodes.fleet.port import FleetState
from tests.nodes.fleet.contract_knowledge import KnowledgeContract
from tests.nodes.fleet.contract_nodes import NodeContract
from tests.nodes.fleet.contract_queues import QueueContract
from tests.nodes.fleet.factories import Clock
from tests.nodes.fleet.programs import STEPS, crowd, run

# One example may wait for coalesced news; several adapters run the same test.
LENIENT = settings(
    deadline=None, suppress_health_check=[HealthCheck.differing_executors, HealthCheck.function_scoped_fixture]
)


class FleetContract(QueueContract, NodeContract, KnowledgeContract):
    """All sentences of the port, with the circuit's defaults (3 failures in 30 s, open for 30 s)."""

    def opened(self, clock: Clock) -> AbstractAsyncContextManager[FleetState]:
        """An empty fleet that lives by this clock."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def fleet(self, clock: Clock) -> AsyncIterator[FleetState]:
        async with self.opened(clock) as fleet:
            yield fleet

    @settings(LENIENT, max_examples=150)
    @given(st.lists(STEPS, max_size=80))
    async def test_no_program_of_steps_breaks_an_invariant(self, steps):
        clock = Clock()
        async with self.opened(clock) as fleet:
            await run(fleet, clock, steps)

    @settings(LENIENT, max_examples=15)
    @given(st.randoms(use_true_random=False))
    async def test_a_crowd_under_disturbance_is_served_whole_and_leaves_nothing(self, random):
        clock = Clock()
        async with self.opened(clock) as fleet:
            await crowd(fleet, clock, random)
