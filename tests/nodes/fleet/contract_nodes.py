"""Nodes that come, change and go: who is displaced, who is woken, what is held; and suspended queues."""

import asyncio
from dataclasses import replace

import pytest

from nodes.core.values import Memory, ResidentModel, Standing
from tests.nodes.fleet.factories import (
    ANY,
    DEADLINE,
    LONG,
    MINI,
    MODEL,
    STUDIO,
    joined,
    measured,
    news,
    node,
    running,
    slots,
    soon,
    state,
    ticket,
    waiting,
)

OUT = [{"paused": True}, {"draining": True}, {"status": "offline"}, {"reachable": False}, {"enrolment": "pending"}]


class NodeContract:
    """Needs the fixtures `fleet` and `clock`."""

    async def test_a_node_is_seen_as_it_was_put(self, fleet):
        studio = node("studio", bandwidth_gbps=800.0, last_seen=3.0)
        await fleet.put_node(studio)
        assert (fleet.snapshot().node("studio"), fleet.node("studio")) == (studio, studio)

    async def test_a_node_that_is_not_there_is_none(self, fleet):
        assert fleet.node("studio") is None

    async def test_nodes_stand_in_the_order_of_enrolment(self, fleet):
        for name in ("c", "a", "b"):
            await fleet.put_node(node(name))
        await fleet.order_nodes(["a", "b", "c"])
        assert [n.id for n in fleet.snapshot().nodes] == ["a", "b", "c"]

    async def test_an_order_holds_for_nodes_that_come_later(self, fleet):
        await fleet.order_nodes(["a", "b"])
        for name in ("other", "b", "a"):
            await fleet.put_node(node(name))
        assert [n.id for n in fleet.snapshot().nodes] == ["a", "b", "other"]

    async def test_a_node_put_again_keeps_its_place(self, fleet):
        for name in ("a", "b", "a"):
            await fleet.put_node(node(name))
        assert [n.id for n in fleet.snapshot().nodes] == ["a", "b"]

    async def test_a_dropped_node_is_forgotten_with_what_was_learned_of_it(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "a")
        await fleet.observe(STUDIO, 1.0)
        await fleet.failed(STUDIO, stalled=True)
        await fleet.drop_node("studio")
        seen = fleet.snapshot()
        left = (seen.nodes, dict(seen.latency), dict(seen.chosen_at), seen.unhealthy, await fleet.learned(9))
        assert left == ((), {}, {}, frozenset(), {})

    async def test_the_need_of_a_model_is_the_last_measured_anywhere(self, fleet):
        await fleet.put_node(node("studio", resident={MODEL: ResidentModel(MODEL, 6.0)}))
        await fleet.put_node(node("mini", resident={MODEL: ResidentModel(MODEL, 5.5)}))
        assert dict(fleet.snapshot().need_gb) == {MODEL: 5.5}

    async def test_a_reading_that_says_the_same_again_measures_nothing(self, fleet):
        for name, size in (("studio", 6.0), ("mini", 5.5), ("studio", 6.0)):
            await fleet.put_node(measured(name, size))
        assert dict(fleet.snapshot().need_gb) == {MODEL: 5.5}

    @pytest.mark.parametrize("last", ["small", "large"])
    async def test_the_need_of_a_model_is_that_of_the_least_context_whoever_was_read_last(self, fleet, last):
        nodes = {"small": measured("small", 6.0, 4096), "large": measured("large", 40.0, 131072)}
        for name in ("small", "large", last):
            await fleet.put_node(nodes[name])
        assert dict(fleet.snapshot().need_gb) == {MODEL: 6.0}

    async def test_the_need_of_a_model_follows_the_context_that_its_node_loads_it_with(self, fleet):
        await fleet.put_node(measured("studio", 6.0, 4096))
        await fleet.put_node(measured("studio", 9.0, 32768))
        assert dict(fleet.snapshot().need_gb) == {MODEL: 9.0}

    async def test_a_context_that_is_not_known_may_be_large(self, fleet):
        await fleet.put_node(measured("studio", 40.0, 131072))
        await fleet.put_node(measured("mini", 6.0, None))
        assert dict(fleet.snapshot().need_gb) == {MODEL: 40.0}

    async def test_what_a_dropped_node_measured_is_forgotten_where_others_measured_too(self, fleet):
        await fleet.put_node(measured("small", 6.0, 4096))
        await fleet.put_node(measured("large", 40.0, 131072))
        await fleet.drop_node("small")
        assert dict(fleet.snapshot().need_gb) == {MODEL: 40.0}

    async def test_what_only_a_dropped_node_measured_is_not_known(self, fleet):
        await fleet.put_node(measured("large", 40.0, 131072))
        await fleet.drop_node("large")
        assert dict(fleet.snapshot().need_gb) == {}

    async def test_a_need_that_went_with_its_node_wakes_the_head_of_that_models_queues(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(measured("large", 40.0, 131072))
        await waiting(fleet, "a")
        await fleet.drop_node("large")
        await news(fleet, "a")

    async def test_the_need_of_a_model_is_kept_when_it_is_unloaded(self, fleet):
        await fleet.put_node(node("studio", resident={MODEL: ResidentModel(MODEL, 6.0)}))
        await fleet.put_node(node("studio", resident={}))
        assert dict(fleet.snapshot().need_gb) == {MODEL: 6.0}

    @pytest.mark.parametrize("size", [None, 0.0])
    async def test_a_size_that_is_not_known_measures_nothing(self, fleet, size):
        await fleet.put_node(node("studio", resident={MODEL: ResidentModel(MODEL, size)}))
        assert dict(fleet.snapshot().need_gb) == {}

    async def test_traffic_shows_that_a_node_is_alive(self, fleet, clock):
        await fleet.put_node(node("studio", status="degraded", last_seen=clock.now))
        clock.advance(20)
        await fleet.touch("studio")
        seen = fleet.snapshot().node("studio")
        assert (seen.status, seen.last_seen) == ("online", clock.now)

    async def test_traffic_of_an_unknown_node_is_nothing(self, fleet):
        await fleet.touch("nobody")
        assert fleet.snapshot().nodes == ()

    # Displaced
    @pytest.mark.parametrize("out", OUT)
    async def test_a_node_that_no_longer_serves_displaces_who_waits(self, fleet, out):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.put_node(node("studio", **out))
        await news(fleet, "a")
        assert await fleet.turn("a", slots(1)) == Standing("displaced")

    async def test_a_dropped_node_displaces_who_waits(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.drop_node("studio")
        await news(fleet, "a")
        assert await state(fleet, "a") == "displaced"

    @pytest.mark.parametrize("out", OUT)
    async def test_what_runs_on_a_node_that_no_longer_serves_runs_on(self, fleet, out):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.put_node(node("studio", **out))
        assert await state(fleet, "a") == "running"

    async def test_what_runs_on_a_dropped_node_still_counts(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.drop_node("studio")
        assert fleet.snapshot().depth(*STUDIO).in_flight == 1

    async def test_a_displaced_ticket_stands_in_no_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.drop_node("studio")
        assert dict(fleet.snapshot().queues) == {}

    @pytest.mark.parametrize("out", OUT)
    async def test_whoever_joins_a_node_that_does_not_serve_is_displaced_at_once(self, fleet, out):
        await fleet.put_node(node("studio", **out))
        await joined(fleet, "a")
        assert await state(fleet, "a") == "displaced"

    async def test_whoever_joins_a_node_that_is_not_there_is_displaced_and_told(self, fleet):
        await joined(fleet, "a")
        await news(fleet, "a")
        assert await state(fleet, "a") == "displaced"

    async def test_a_displaced_ticket_may_join_elsewhere(self, fleet):
        await fleet.put_node(node("mini"))
        await joined(fleet, "a")
        await joined(fleet, "a", MINI)
        assert await fleet.turn("a", slots(1)) == Standing("running", MINI)

    async def test_a_degraded_node_keeps_its_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.put_node(node("studio", status="degraded"))
        assert await state(fleet, "a") == "running"

    async def test_a_measured_need_wakes_the_head_of_that_models_queues_everywhere(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.put_node(node("mini", resident={MODEL: ResidentModel(MODEL, 2.0)}))
        await news(fleet, "a")

    # Held
    async def test_held_requests_are_counted(self, fleet):
        await fleet.hold(ticket("a"), [MODEL], ANY)
        assert fleet.snapshot().held == 1

    async def test_no_more_are_held_than_allowed(self, fleet):
        await fleet.hold(ticket("a"), [MODEL], 1)
        assert not await fleet.hold(ticket("b"), [MODEL], 1)

    async def test_holding_again_keeps_the_place(self, fleet):
        await fleet.hold(ticket("a"), [MODEL], 1)
        assert (await fleet.hold(ticket("a"), [MODEL], 1), fleet.snapshot().held) == (True, 1)

    async def test_holding_leaves_the_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.hold(ticket("a"), [MODEL], ANY)
        assert dict(fleet.snapshot().queues) == {}

    async def test_a_hold_that_is_refused_leaves_the_ticket_where_it_was(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.hold(ticket("a"), [MODEL], 0)
        assert await state(fleet, "a") == "running"

    async def test_joining_a_queue_ends_the_hold(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.hold(ticket("a"), [MODEL], ANY)
        await joined(fleet, "a")
        assert fleet.snapshot().held == 0

    async def test_leaving_ends_the_hold(self, fleet):
        await fleet.hold(ticket("a"), [MODEL], ANY)
        await fleet.leave("a")
        assert fleet.snapshot().held == 0

    async def test_a_new_node_wakes_who_is_held_for_its_models(self, fleet):
        await fleet.hold(ticket("a"), ["other:1b", MODEL], ANY)
        await fleet.put_node(node("studio"))
        await news(fleet, "a")

    @pytest.mark.parametrize("change", [{"paused": False}, {"memory": Memory(64, 40)}, {"parallel": 3}])
    async def test_a_node_that_changed_wakes_who_is_held(self, fleet, change):
        studio = node("studio", paused=True)
        await fleet.put_node(studio)
        await fleet.hold(ticket("a"), [MODEL], ANY)
        await fleet.put_node(replace(studio, **change))
        await news(fleet, "a")

    async def test_a_slot_given_back_wakes_who_is_held_for_its_model(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.hold(ticket("b"), [MODEL], ANY)
        await fleet.leave("a")
        await news(fleet, "b")

    async def test_a_circuit_that_closes_wakes_who_is_held(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        await fleet.hold(ticket("a"), [MODEL], ANY)
        await fleet.succeeded(STUDIO)
        await news(fleet, "a")

    async def test_who_is_held_behind_another_of_its_kind_sleeps_on(self, fleet):
        for name in ("first", "second"):
            await fleet.hold(ticket(name), [MODEL], ANY)
        asleep = asyncio.create_task(fleet.news("second", LONG))
        await fleet.put_node(node("studio"))
        await news(fleet, "first")
        await asyncio.wait({asleep}, timeout=0)
        assert asleep.cancel()

    @pytest.mark.parametrize("leaves", [True, False])
    async def test_the_next_of_a_kind_is_told_once_the_first_is_held_no_longer(self, fleet, leaves):
        await fleet.put_node(node("studio"))
        for name in ("first", "second"):
            await fleet.hold(ticket(name), [MODEL], ANY)
        await (fleet.leave("first") if leaves else joined(fleet, "first"))
        await news(fleet, "second")

    async def test_who_needs_less_is_told_beside_who_needs_more(self, fleet):
        await fleet.hold(ticket("sees", needs=frozenset({"vision"})), [MODEL], ANY)
        await fleet.hold(ticket("plain"), [MODEL], ANY)
        await fleet.put_node(node("studio"))
        await news(fleet, "plain")

    async def test_the_longest_held_is_told_first(self, fleet):
        told = []

        async def sleeper(name):
            await fleet.news(name, LONG)
            told.append(name)
            await fleet.leave(name)

        for name in ("c", "a", "b"):
            await fleet.hold(ticket(name), [MODEL], ANY)
        asleep = [asyncio.create_task(sleeper(name)) for name in "abc"]
        await asyncio.sleep(0)
        await fleet.put_node(node("studio"))
        await asyncio.wait_for(asyncio.gather(*asleep), DEADLINE)
        assert told == ["c", "a", "b"]

    async def test_a_held_sleep_ends_after_its_time(self, fleet):
        await fleet.hold(ticket("a"), [MODEL], ANY)
        await soon(fleet.news("a", 0.01))

    # Suspended
    async def test_three_failures_suspend_a_queue(self, fleet):
        await fleet.put_node(node("studio"))
        for _ in range(3):
            await fleet.failed(STUDIO)
        assert fleet.snapshot().unhealthy == {STUDIO}

    async def test_two_failures_do_not(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO)
        await fleet.failed(STUDIO)
        assert fleet.snapshot().unhealthy == frozenset()

    async def test_failures_far_apart_do_not(self, fleet, clock):
        await fleet.put_node(node("studio"))
        for _ in range(3):
            await fleet.failed(STUDIO)
            clock.advance(15)
        assert fleet.snapshot().unhealthy == frozenset()

    async def test_one_stall_suspends_a_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        assert fleet.snapshot().unhealthy == {STUDIO}

    async def test_a_success_ends_the_suspension(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        await fleet.succeeded(STUDIO)
        assert fleet.snapshot().unhealthy == frozenset()

    async def test_a_suspension_displaces_who_waits(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.failed(STUDIO, stalled=True)
        await news(fleet, "a")
        assert await state(fleet, "a") == "displaced"

    async def test_whoever_joins_a_suspended_queue_is_displaced(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        await joined(fleet, "a")
        assert await state(fleet, "a") == "displaced"

    async def test_after_its_time_a_suspended_queue_looks_healthy_until_someone_tries(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        clock.advance(30)
        assert fleet.snapshot().unhealthy == frozenset()
        await running(fleet, "trial")
        assert fleet.snapshot().unhealthy == {STUDIO}

    async def test_only_one_ticket_tries_at_a_time(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        clock.advance(30)
        await running(fleet, "trial")
        await joined(fleet, "next")
        assert await state(fleet, "next", ANY) == "waiting"

    async def test_a_trial_that_succeeds_lets_the_others_run(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        clock.advance(30)
        await running(fleet, "trial")
        await waiting(fleet, "next")
        await fleet.succeeded(STUDIO)
        await news(fleet, "next")
        assert await state(fleet, "next", ANY) == "running"

    async def test_a_trial_that_fails_displaces_the_others(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        clock.advance(30)
        await running(fleet, "trial")
        await waiting(fleet, "next")
        await fleet.failed(STUDIO)
        await news(fleet, "next")
        assert await state(fleet, "next", ANY) == "displaced"

    async def test_a_trial_that_leaves_untold_lets_the_next_try(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.failed(STUDIO, stalled=True)
        clock.advance(30)
        await running(fleet, "trial")
        await waiting(fleet, "next")
        await fleet.leave("trial")
        await news(fleet, "next")
        assert await state(fleet, "next", ANY) == "running"
