"""What a fleet remembers: durations, session pins, leases."""

from nodes.core.values import Latency, Pin
from tests.nodes.fleet.factories import MINI, MODEL, STUDIO, node, running


class KnowledgeContract:
    """Needs the fixtures `fleet` and `clock`."""

    async def test_a_queue_nobody_used_has_no_latency(self, fleet):
        assert dict(fleet.snapshot().latency) == {}

    async def test_the_latency_of_a_queue_is_its_75th_percentile(self, fleet):
        await fleet.put_node(node("studio"))
        for seconds in (3.0, 1.0, 4.0, 2.0, 5.0):
            await fleet.observe(STUDIO, seconds)
        assert dict(fleet.snapshot().latency) == {STUDIO: Latency(4000, 5)}

    async def test_what_was_learned_comes_back_oldest_first(self, fleet):
        await fleet.put_node(node("studio"))
        for seconds in (3.0, 1.0, 2.0):
            await fleet.observe(STUDIO, seconds)
        assert list((await fleet.learned(9))[STUDIO]) == [3.0, 1.0, 2.0]

    async def test_only_the_last_500_durations_are_kept(self, fleet):
        await fleet.put_node(node("studio"))
        for second in range(501):
            await fleet.observe(STUDIO, float(second))
        assert list((await fleet.learned(9))[STUDIO]) == [float(second) for second in range(1, 501)]

    async def test_what_runs_on_a_dropped_node_teaches_nothing_of_it(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.drop_node("studio")
        await fleet.observe(STUDIO, 1.0)
        await fleet.failed(STUDIO, stalled=True)
        await fleet.leave("a")
        seen = fleet.snapshot()
        left = (dict(seen.latency), await fleet.learned(9), seen.unhealthy, dict(seen.used_at))
        assert left == ({}, {}, frozenset(), {})

    async def test_a_fleet_knows_what_it_was_taught(self, fleet):
        await fleet.teach({STUDIO: [1.0, 2.0, 3.0, 4.0], MINI: []})
        assert dict(fleet.snapshot().latency) == {STUDIO: Latency(4000, 4)}

    async def test_what_is_observed_comes_after_what_was_taught(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.teach({STUDIO: [9.0, 8.0]})
        await fleet.observe(STUDIO, 1.0)
        assert list((await fleet.learned(9))[STUDIO]) == [9.0, 8.0, 1.0]

    async def test_teaching_twice_teaches_once(self, fleet):
        for _ in range(2):
            await fleet.teach({STUDIO: [1.0, 2.0]})
        assert dict(fleet.snapshot().latency) == {STUDIO: Latency(2000, 2)}

    async def test_what_was_taught_is_not_news(self, fleet):
        await fleet.teach({STUDIO: [1.0, 2.0]})
        assert await fleet.learned(9) == {}

    async def test_what_was_learned_is_handed_out_once(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.observe(STUDIO, 1.0)
        assert [len(await fleet.learned(9)), len(await fleet.learned(9))] == [1, 0]

    async def test_what_was_observed_since_is_handed_out_with_what_was_before(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.observe(STUDIO, 1.0)
        await fleet.learned(9)
        await fleet.observe(STUDIO, 2.0)
        assert list((await fleet.learned(9))[STUDIO]) == [1.0, 2.0]

    async def test_what_was_learned_is_handed_out_in_portions(self, fleet):
        for queue in (STUDIO, MINI):
            await fleet.put_node(node(queue.node))
            await fleet.observe(queue, 1.0)
        assert [list(await fleet.learned(1)) for _ in range(3)] == [[STUDIO], [MINI], []]

    async def test_a_session_is_pinned_to_the_node_of_its_last_turn(self, fleet):
        await fleet.pin("talk", Pin(MODEL, "studio", 1.0))
        await fleet.pin("talk", Pin(MODEL, "mini", 2.0))
        assert await fleet.pinned("talk") == Pin(MODEL, "mini", 2.0)

    async def test_an_unknown_session_is_pinned_nowhere(self, fleet):
        assert await fleet.pinned("talk") is None

    async def test_a_lease_has_one_holder(self, fleet):
        assert [await fleet.lease("rebalance", 5), await fleet.lease("rebalance", 5)] == [True, False]

    async def test_leases_of_other_names_are_free(self, fleet):
        await fleet.lease("rebalance", 5)
        assert await fleet.lease("prewarm", 5)

    async def test_a_lease_lasts_its_time(self, fleet, clock):
        await fleet.lease("rebalance", 5)
        clock.advance(4.9)
        assert not await fleet.lease("rebalance", 5)

    async def test_a_lease_expires(self, fleet, clock):
        await fleet.lease("rebalance", 5)
        clock.advance(5)
        assert await fleet.lease("rebalance", 5)

    async def test_a_released_lease_is_free(self, fleet):
        await fleet.lease("rebalance", 5)
        await fleet.release("rebalance")
        assert await fleet.lease("rebalance", 5)

    async def test_releasing_what_nobody_holds_does_nothing(self, fleet):
        await fleet.release("rebalance")
        assert await fleet.lease("rebalance", 5)
