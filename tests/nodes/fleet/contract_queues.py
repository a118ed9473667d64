"""Queues: order, exact admission, moves, and giving back."""

import asyncio

from nodes.core.values import NO_DEPTH, QueueDepth, ResidentModel, Standing
from tests.nodes.fleet.factories import (
    ANY,
    DEADLINE,
    LONG,
    MINI,
    STUDIO,
    joined,
    news,
    node,
    running,
    slots,
    soon,
    state,
    ticket,
    waiting,
)

NO_NEEDS: frozenset[str] = frozenset()


class QueueContract:
    """Needs the fixtures `fleet` and `clock`."""

    async def test_the_first_to_join_runs(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "a")
        assert await fleet.turn("a", slots(1)) == Standing("running", STUDIO)

    async def test_no_more_run_than_there_are_slots(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await joined(fleet, "b")
        assert await fleet.turn("b", slots(1)) == Standing("waiting", STUDIO)

    async def test_no_slots_admit_nobody(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "a")
        assert await state(fleet, "a", 0) == "waiting"

    async def test_slots_are_asked_for_the_queue_where_the_ticket_stands(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "a")
        asked = []
        await fleet.turn("a", lambda queue: asked.append(queue) or 1)
        assert asked == [STUDIO]

    async def test_asking_again_while_running_answers_running(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        assert await state(fleet, "a", 0) == "running"

    async def test_whoever_arrived_earlier_goes_first(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "later", arrived=2.0)
        await joined(fleet, "earlier", arrived=1.0)
        assert [await state(fleet, "later"), await state(fleet, "earlier")] == ["waiting", "running"]

    async def test_of_two_that_arrived_together_the_first_to_join_goes_first(self, fleet):
        await fleet.put_node(node("studio"))
        await joined(fleet, "z")
        await joined(fleet, "a")
        assert [await state(fleet, "a"), await state(fleet, "z")] == ["waiting", "running"]

    async def test_queues_of_one_node_do_not_share_slots(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await joined(fleet, "b", STUDIO._replace(model="other:1b"))
        assert await state(fleet, "b") == "running"

    async def test_a_ticket_that_never_joined_is_gone(self, fleet):
        assert await fleet.turn("nobody", slots(1)) == Standing("gone")

    async def test_news_of_a_ticket_that_is_gone_comes_at_once(self, fleet):
        await soon(fleet.news("nobody", LONG))

    async def test_a_full_queue_refuses(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        assert not await fleet.join(ticket("b"), STUDIO, 1)

    async def test_a_refused_ticket_is_nowhere(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await fleet.join(ticket("b"), STUDIO, 1)
        assert await state(fleet, "b") == "gone"

    async def test_a_refused_ticket_keeps_the_place_it_had(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await running(fleet, "b", MINI)
        await waiting(fleet, "a")
        await fleet.join(ticket("b"), STUDIO, 1)
        assert await fleet.turn("b", slots(1)) == Standing("running", MINI)

    async def test_the_limit_counts_who_waits_not_who_runs(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        assert await fleet.join(ticket("b"), STUDIO, 1)

    async def test_a_ticket_does_not_count_against_itself(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        assert await fleet.join(ticket("a"), STUDIO, 1)

    async def test_joining_elsewhere_leaves_the_place_it_had(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "a")
        await joined(fleet, "a", MINI)
        assert dict(fleet.snapshot().queues) == {MINI: QueueDepth(0, 1, 0.0)}

    async def test_joining_elsewhere_gives_the_slot_back(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await running(fleet, "a")
        await waiting(fleet, "b")
        await joined(fleet, "a", MINI)
        await news(fleet, "b")
        assert await state(fleet, "b") == "running"

    async def test_joining_marks_the_node_as_chosen_now(self, fleet, clock):
        await fleet.put_node(node("studio"))
        clock.advance(7)
        await joined(fleet, "a")
        assert dict(fleet.snapshot().chosen_at) == {"studio": clock.now}

    async def test_a_queue_was_last_used_when_its_last_request_left(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        clock.advance(7)
        await fleet.leave("a")
        assert fleet.snapshot().used_at[STUDIO] == clock.now

    async def test_a_ticket_that_never_ran_used_nothing(self, fleet):
        await fleet.put_node(node("studio", resident={}))
        await waiting(fleet, "a")
        await fleet.leave("a")
        assert STUDIO not in fleet.snapshot().used_at

    async def test_a_model_that_was_just_loaded_counts_as_used(self, fleet, clock):
        await fleet.put_node(node("studio", resident={}))
        clock.advance(7)
        await fleet.put_node(node("studio", resident={STUDIO.model: ResidentModel(STUDIO.model)}))
        assert fleet.snapshot().used_at[STUDIO] == clock.now

    async def test_a_refusal_does_not_mark_the_node_as_chosen(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await fleet.join(ticket("a"), STUDIO, 0)
        assert dict(fleet.snapshot().chosen_at) == {}

    async def test_the_depth_of_a_queue_tells_who_runs_who_waits_and_since_when(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a", arrived=1.0)
        await waiting(fleet, "c", arrived=3.0)
        await waiting(fleet, "b", arrived=2.0)
        assert fleet.snapshot().depth(*STUDIO) == QueueDepth(1, 2, 2.0)

    async def test_a_snapshot_does_not_change_afterwards(self, fleet):
        await fleet.put_node(node("studio"))
        before = fleet.snapshot()
        await running(fleet, "a")
        await fleet.observe(STUDIO, 1.0)
        await fleet.put_node(node("mini"))
        unchanged = (before.depth(*STUDIO), dict(before.latency), dict(before.chosen_at), len(before.nodes))
        assert unchanged == (NO_DEPTH, {}, {}, 1)

    # Giving back
    async def test_leaving_wakes_the_next(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await waiting(fleet, "b")
        await fleet.leave("a")
        await news(fleet, "b")
        assert await state(fleet, "b") == "running"

    async def test_the_head_that_leaves_wakes_the_next(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await waiting(fleet, "b")
        await fleet.leave("a")
        await news(fleet, "b")

    async def test_whoever_leaves_twice_gives_back_once(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await running(fleet, "b")
        await fleet.leave("a")
        await fleet.leave("a")
        assert fleet.snapshot().depth(*STUDIO).in_flight == 1

    async def test_leaving_without_a_place_does_nothing(self, fleet):
        await fleet.leave("nobody")
        assert fleet.snapshot().queues == {}

    async def test_an_empty_queue_is_no_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await fleet.leave("a")
        assert dict(fleet.snapshot().queues) == {}

    async def test_news_between_turn_and_sleep_is_not_missed(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await waiting(fleet, "b")
        await fleet.leave("a")
        await soon(fleet.news("b", LONG))

    async def test_news_wakes_a_sleeper(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await waiting(fleet, "b")
        asleep = asyncio.create_task(fleet.news("b", LONG))
        await asyncio.sleep(0)
        await fleet.leave("a")
        await asyncio.wait_for(asleep, DEADLINE)

    async def test_a_sleep_ends_after_its_time(self, fleet):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        await soon(fleet.news("a", 0.01))

    async def test_an_abandoned_sleep_loses_no_news(self, fleet):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        await waiting(fleet, "b")
        asleep = asyncio.create_task(fleet.news("b", LONG))
        await asyncio.sleep(0)
        asleep.cancel()
        await asyncio.wait({asleep})
        await fleet.leave("a")
        await news(fleet, "b")

    async def test_each_start_wakes_the_next_while_slots_remain(self, fleet):
        await fleet.put_node(node("studio"))
        for name in "abc":
            await waiting(fleet, name)
        await fleet.put_node(node("studio", parallel=2))
        await news(fleet, "a")
        assert await state(fleet, "a", 2) == "running"
        await news(fleet, "b")
        assert await state(fleet, "b", 2) == "running"
        assert await state(fleet, "c", 2) == "waiting"

    # Moves
    async def test_a_move_takes_the_longest_waiting_and_keeps_their_arrival(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        for at, name in enumerate("abcd"):
            await waiting(fleet, name, arrived=float(at))
        assert await fleet.move(STUDIO, MINI, 2, 2, NO_NEEDS) == 2
        snapshot = fleet.snapshot()
        assert (snapshot.depth(*MINI), snapshot.depth(*STUDIO)) == (QueueDepth(0, 2, 0.0), QueueDepth(0, 2, 2.0))

    async def test_a_moved_ticket_stands_where_it_was_moved_to(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "a")
        await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS)
        await news(fleet, "a")
        assert await fleet.turn("a", slots(1)) == Standing("running", MINI, 1)

    async def test_a_moved_ticket_goes_before_later_ones_of_its_new_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "late", MINI, arrived=5.0)
        await waiting(fleet, "early", arrived=1.0)
        await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS)
        assert [await state(fleet, "late"), await state(fleet, "early")] == ["waiting", "running"]

    async def test_a_move_out_wakes_who_is_first_now(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "a", arrived=1.0)
        await waiting(fleet, "b", arrived=2.0)
        await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS)
        await news(fleet, "b")

    async def test_what_runs_is_never_moved(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await running(fleet, "a")
        assert await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS) == 0

    async def test_what_was_moved_often_enough_stays(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "a")
        for source, target in ((STUDIO, MINI), (MINI, STUDIO)):
            await fleet.move(source, target, 1, 2, NO_NEEDS)
        assert await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS) == 0

    async def test_moves_are_remembered_when_a_ticket_joins_again(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await joined(fleet, "a", moves=2)
        assert await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS) == 0

    async def test_what_needs_more_than_the_target_can_stays_and_the_next_goes(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await waiting(fleet, "sees", needs=frozenset({"vision"}))
        await waiting(fleet, "plain")
        assert await fleet.move(STUDIO, MINI, 2, 2, frozenset({"vision"})) == 1
        assert (await fleet.turn("sees", slots(0))).queue == STUDIO

    async def test_nothing_moves_to_a_node_that_was_paused_meanwhile(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini", paused=True))
        await waiting(fleet, "a")
        assert await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS) == 0

    async def test_nothing_moves_to_a_suspended_queue(self, fleet):
        await fleet.put_node(node("studio"))
        await fleet.put_node(node("mini"))
        await fleet.failed(MINI, stalled=True)
        await waiting(fleet, "a")
        assert await fleet.move(STUDIO, MINI, 1, 2, NO_NEEDS) == 0

    async def test_an_empty_queue_has_nothing_to_move(self, fleet):
        await fleet.put_node(node("mini"))
        assert await fleet.move(STUDIO, MINI, ANY, 2, NO_NEEDS) == 0

    # Processes
    async def test_a_dead_process_gives_its_slots_back(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await running(fleet, "theirs", owner="server-2")
        await waiting(fleet, "ours", owner="server-1")
        clock.advance(31)
        await fleet.beat("server-1")
        assert await fleet.reap(30) == 1
        await news(fleet, "ours")
        assert await state(fleet, "ours") == "running"

    async def test_a_reaped_ticket_is_gone_and_its_owner_wakes(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await waiting(fleet, "a")
        asleep = asyncio.create_task(fleet.news("a", LONG))
        await asyncio.sleep(0)
        clock.advance(31)
        await fleet.reap(30)
        await asyncio.wait_for(asleep, DEADLINE)
        assert await state(fleet, "a") == "gone"

    async def test_a_process_that_beats_keeps_its_tickets(self, fleet, clock):
        await fleet.put_node(node("studio"))
        await running(fleet, "a")
        clock.advance(31)
        await fleet.beat("server-1")
        assert await fleet.reap(30) == 0

    async def test_a_process_is_alive_when_its_first_ticket_comes(self, fleet, clock):
        await fleet.put_node(node("studio"))
        clock.advance(3600)
        await running(fleet, "a")
        clock.advance(29)
        assert await fleet.reap(30) == 0

    async def test_held_tickets_of_dead_processes_are_reaped(self, fleet, clock):
        await fleet.hold(ticket("a"), [STUDIO.model], ANY)
        clock.advance(31)
        assert (await fleet.reap(30), fleet.snapshot().held) == (1, 0)
