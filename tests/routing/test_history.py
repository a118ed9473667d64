"""Latencies outlive a restart; old decisions do not live for ever."""

from datetime import timedelta

import pytest
from django.utils import timezone

from nodes.core.values import NodeSnapshot, QueueKey
from nodes.fleet import use_fleet
from nodes.fleet.memory import MemoryFleet
from nodes.lib.background import behind
from nodes.lib.live import install
from nodes.models import Node
from routing import history, ledger
from routing.core.parameters import RecordPolicy
from routing.models import LatencyHistory, RoutingDecision
from tests.routing.records import new_id, record, row, stored

pytestmark = pytest.mark.django_db(transaction=True)
QUEUE = QueueKey("studio", "llama3:8b")


@pytest.fixture
def written(monkeypatch) -> list[int]:
    """How many queues each transaction wrote."""
    sizes: list[int] = []
    write = history._write
    monkeypatch.setattr(history, "_write", lambda learned: sizes.append(len(learned)) or write(learned))
    return sizes


@pytest.fixture
def policy():
    """Sets what is kept; the defaults are back afterwards."""
    yield lambda **values: install(RecordPolicy(**values))
    install(RecordPolicy())


async def latencies() -> list[LatencyHistory]:
    return await behind(lambda: list(LatencyHistory.objects.all()))


async def observed(fleet: MemoryFleet, *seconds: float, queue: QueueKey = QUEUE) -> None:
    await fleet.put_node(NodeSnapshot(queue.node))
    for each in seconds:
        await fleet.observe(queue, each)


async def test_what_one_process_learned_the_next_one_knows(fleet):
    await behind(lambda: Node.objects.create(id="studio", name="studio"))
    await observed(fleet, 1.0, 2.0, 3.0)
    await history.save()
    use_fleet(later := MemoryFleet())
    await history.load()
    await observed(later, 4.0)
    assert await later.learned(9) == {QUEUE: (1.0, 2.0, 3.0, 4.0)}


async def test_the_percentile_is_the_value_at_three_quarters_of_the_sorted_sample(fleet):
    await observed(fleet, 4.0, 1.0, 3.0, 2.0)
    await history.save()
    assert [(kept.p75_ms, kept.samples) for kept in await latencies()] == [(4000.0, 4)]


async def test_a_later_save_replaces_the_earlier_one(fleet):
    await observed(fleet, 1.0)
    await history.save()
    await observed(fleet, 2.0)
    await history.save()
    assert [kept.durations for kept in await latencies()] == [[1.0, 2.0]]


async def test_only_queues_that_were_observed_since_are_saved_again(fleet, written):
    await observed(fleet, 1.0)
    await observed(fleet, 1.0, queue=QueueKey("mini", "llama3:8b"))
    await history.save()
    await observed(fleet, 2.0)
    await history.save()
    await history.save()
    assert written == [2, 1]


async def test_many_queues_are_saved_a_few_in_one_transaction(fleet, written):
    for number in range(history.WINDOWS + 1):
        await observed(fleet, 1.0, queue=QueueKey("studio", f"m{number}"))
    await history.save()
    assert written == [history.WINDOWS, 1]


async def test_what_the_database_refused_is_saved_the_next_time(fleet, monkeypatch):
    await observed(fleet, 1.0)
    with monkeypatch.context() as broken:
        broken.setattr(LatencyHistory.objects, "bulk_create", lambda *args, **options: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await history.save()
    await history.save()
    assert [kept.durations for kept in await latencies()] == [[1.0]]


async def test_what_was_learned_of_a_removed_node_is_deleted_and_not_taught(fleet):
    await observed(fleet, 1.0)
    await history.save()
    use_fleet(later := MemoryFleet())
    await history.load()
    assert (dict(later.snapshot().latency), await latencies()) == ({}, [])


async def test_decisions_older_than_the_policy_are_deleted(policy):
    policy(keep_days=1)
    now = timezone.now()
    await behind(record, at=now - timedelta(days=2))
    kept = await behind(record, at=now - timedelta(hours=2))
    await history.prune()
    assert [row["id"] for row in await stored()] == [kept]


async def test_the_oldest_over_the_count_are_deleted(policy):
    policy(keep_rows=100)
    now = timezone.now()
    await behind(ledger.write, [row(new_id(), at=now + timedelta(seconds=i)) for i in range(150)])
    deleted = await history.prune()
    assert (deleted, (await stored())[0]["at"]) == (50, now + timedelta(seconds=50))


async def test_pruning_deletes_a_thousand_rows_at_a_time(policy, monkeypatch):
    policy(keep_days=1)
    sizes: list[int] = []
    delete = history._delete
    monkeypatch.setattr(history, "_delete", lambda *args: sizes.append(delete(*args)) or sizes[-1])
    await behind(ledger.write, [row(new_id()) for _ in range(1500)])
    await history.prune()
    assert sizes == [1000, 500, 0]


async def test_pruning_leaves_what_is_neither_old_nor_surplus():
    await behind(record, at=timezone.now())
    assert (await history.prune(), await behind(RoutingDecision.objects.count)) == (0, 1)
