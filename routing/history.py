"""What outlives a restart: latencies are kept, old decisions are not."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from nodes.core.values import QueueKey
from nodes.core.window import Window
from nodes.fleet import get_fleet
from nodes.lib.background import behind
from nodes.lib.live import current
from nodes.models import Node
from routing.core.parameters import RecordPolicy
from routing.models import LatencyHistory, RoutingDecision

Durations = Mapping[QueueKey, Sequence[float]]
CHUNK = 1000  # rows deleted in one transaction: the journal waits no longer than that takes
WINDOWS = 50  # rows of up to 500 durations written in one transaction
_refused: Durations = {}  # learned, and not taken by the database the last time


async def load() -> None:
    """Teach the fleet what earlier processes learned of nodes that are still there."""
    await behind(_forget_removed)
    await get_fleet().teach(await behind(_read))


async def save() -> None:
    """Keep what the fleet has learned since it was last kept, a few queues at a time."""
    global _refused
    while learned := {**_refused, **await get_fleet().learned(WINDOWS)}:
        _refused = learned
        await behind(_write, learned)
        _refused = {}


async def prune() -> int:
    """Delete decisions that are too old or too many, a few at a time; how many there were."""
    policy = current(RecordPolicy)
    oldest_kept = timezone.now() - timedelta(days=policy.keep_days)
    return await _delete_old(oldest_kept) + await _delete_surplus(policy.keep_rows)


async def _delete_old(oldest_kept: datetime) -> int:
    deleted = 0
    while count := await behind(_delete, CHUNK, oldest_kept):
        deleted += count
        await asyncio.sleep(0)
    return deleted


async def _delete_surplus(keep: int) -> int:
    surplus = await behind(RoutingDecision.objects.count) - keep
    deleted = 0
    for _ in range(math.ceil(max(0, surplus) / CHUNK)):
        deleted += await behind(_delete, min(CHUNK, surplus - deleted))
        await asyncio.sleep(0)
    return deleted


def _delete(count: int, before: datetime | None = None) -> int:
    """Delete up to `count` of the oldest decisions, in one transaction."""
    old = RoutingDecision.objects.filter(at__lt=before) if before else RoutingDecision.objects.all()
    ids = list(old.order_by("at", "id").values_list("id", flat=True)[:count])
    return RoutingDecision.objects.filter(id__in=ids).delete()[0] if ids else 0


def _forget_removed() -> None:
    LatencyHistory.objects.exclude(node__in=Node.objects.values("id")).delete()


def _read() -> Durations:
    rows = LatencyHistory.objects.values_list("node", "model", "durations")
    return {QueueKey(node, model): durations for node, model, durations in rows}


def _write(learned: Durations) -> None:
    now = timezone.now()
    LatencyHistory.objects.bulk_create(
        [_row(queue, durations, now) for queue, durations in learned.items()],
        update_conflicts=True,
        unique_fields=["node", "model"],
        update_fields=["durations", "samples", "p75_ms", "updated_at"],
    )


def _row(queue: QueueKey, durations: Sequence[float], now: datetime) -> LatencyHistory:
    latency = Window(durations).latency()
    return LatencyHistory(
        node=queue.node,
        model=queue.model,
        durations=list(durations),
        samples=latency.samples,
        p75_ms=latency.p75_ms,
        updated_at=now,
    )
