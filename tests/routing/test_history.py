"""Latencies outlive a restart; old decisions do not live for ever."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest
from django.utils import timezone

from nodes.core.values import QueueKey
from nodes.fleet import use_fleet
from nodes.lib.background import behind
from nodes.lib.live import install
from routing import history, ledger
from routing.core.parameters import RecordPolicy
from routing.models import LatencyHistory, RoutingDecision
from tests.routing.records import new_id, record, row, stored

pytestmark = pytest.mark.django_db(transaction=True)
QUEUE = QueueKey("studio", "llama3:8b")


class Learner:
    """The part of a fleet that learns."""

    def __init__(self, durations: Mapping[QueueKey, Sequence[float]] | None = None) -> None:
        self.durations = dict(durations or {})

    async def learned(self) -> Mapping[QueueKey, Sequence[float]]:
        return self.durations

    async def teach(self, durations: Mapping[QueueKey, Sequence[float]]) -> None:
        self.durations |= durations


@pytest.fixture
def fleet():
    """A fleet that learns, put in place of the process's own."""
    learner = Learner()
    use_fleet(learner)
    yield learner
    use_fleet(None)


@pytest.fixture
def policy():
    """Sets what is kept; the defaults are back afterwards."""
    yield lambda **values: install(RecordPolicy(**values))
    install(RecordPolicy())


async def latencies() -> list[LatencyHistory]:
    return await behind(lambda: list(LatencyHistory.objects.all()))


async def test_what_one_process_learned_the_next_one_knows(fleet):
    fleet.durations[QUEUE] = [1.0, 2.0, 3.0]
    await history.save()
    fleet.durations.clear()
    await history.load()
    assert fleet.durations == {QUEUE: [1.0, 2.0, 3.0]}


async def test_the_percentile_is_the_value_at_three_quarters_of_the_sorted_sample(fleet):
    fleet.durations[QUEUE] = [4.0, 1.0, 3.0, 2.0]
    await history.save()
    assert [(kept.p75_ms, kept.samples) for kept in await latencies()] == [(4000.0, 4)]


async def test_a_later_save_replaces_the_earlier_one(fleet):
    fleet.durations[QUEUE] = [1.0]
    await history.save()
    fleet.durations[QUEUE] = [1.0, 2.0]
    await history.save()
    assert [kept.durations for kept in await latencies()] == [[1.0, 2.0]]


async def test_a_queue_that_has_completed_nothing_is_not_kept(fleet):
    fleet.durations[QUEUE] = []
    await history.save()
    assert await latencies() == []


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
