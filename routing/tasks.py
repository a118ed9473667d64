"""Stages 4 and 5, behind the traffic: look at the fleet, have the core plan, act; nothing waits for a load."""

import asyncio
import logging
from contextlib import suppress

from nodes.fleet import get_fleet
from nodes.fleet.owner import OWNER
from nodes.lib.broadcast import broadcast
from nodes.lib.live import current
from nodes.poller import ask_now
from routing.core.parameters import EliminationPolicy, JobPolicy, QueuePolicy, ScoringWeights
from routing.core.prewarm import Load, plan_prewarm
from routing.core.problems import UpstreamFailed
from routing.core.ranking import Policy
from routing.core.rebalance import Move, plan_moves
from routing.core.room import mark_idle
from routing.upstreams import upstream_for

log = logging.getLogger(__name__)

SILENT = 60.0  # seconds without a beat: the process is dead
REPORT_WITHIN = 15.0  # seconds from a load to the node's word of it
LOOK_EVERY = 0.1  # seconds
_loading: dict[asyncio.Task[str], Load] = {}


async def prewarm() -> int:
    """Begin to load each deep queue's model on the runner-up; how many loads were begun."""
    policy = _policy()
    fleet = mark_idle(get_fleet().snapshot(), policy)
    loads = plan_prewarm(fleet, policy, current(JobPolicy), current(QueuePolicy), _loading.values())
    return sum([await begin(load) is not None for load in loads])


async def rebalance() -> int:
    """Move waiting requests off deep queues; how many were moved."""
    policy = _policy()
    moves = plan_moves(mark_idle(get_fleet().snapshot(), policy), policy, current(JobPolicy), current(QueuePolicy))
    return sum([await _move(move) for move in moves])


async def reap() -> int:
    """Say that we live, and drop the tickets of those who don't; how many there were."""
    await get_fleet().beat(OWNER)
    dropped = await get_fleet().reap(SILENT)
    if dropped:
        log.warning("dropped %d requests of processes that are gone", dropped)
    return dropped


async def begin(load: Load) -> asyncio.Task[str] | None:
    """A load at work, which ends with what went wrong, if anything; None if the same is at work already."""
    limit = current(JobPolicy).prewarm_limit
    if not await get_fleet().lease(_lease(load), limit):
        return None
    task = asyncio.create_task(_load(load, limit), name=_lease(load))
    _loading[task] = load
    task.add_done_callback(_loading.pop)
    return task


async def stop() -> None:
    """Give up the loads that still run; their leases are given back."""
    await asyncio.sleep(0)  # a task that is cancelled before its first step would never give its lease back
    for task in _loading:
        task.cancel()
    await asyncio.gather(*_loading, return_exceptions=True)


def _policy() -> Policy:
    return Policy(current(ScoringWeights), current(EliminationPolicy))


async def _load(load: Load, limit: float) -> str:
    """One load, from request to report; the lease is ours until the node reports the model or the load fails."""
    node = get_fleet().node(load.node)
    try:
        if node:
            broadcast("load_began", {"node": load.node, "model": load.model})
            async with asyncio.timeout(limit):
                await upstream_for(node).load(node, load.model, limit, load.embedding)
            ask_now(load.node)
            await _reported(load)
            log.info("pre-warmed %s on %s", load.model, node.name)
        return ""
    except (UpstreamFailed, TimeoutError) as error:
        trouble = str(error) or f"{limit:.0f} s are over"
        log.warning("could not pre-warm %s on %s: %s", load.model, load.node, trouble)
        return trouble
    finally:
        broadcast("load_ended", {"node": load.node, "model": load.model})
        await get_fleet().release(_lease(load))


async def _reported(load: Load) -> None:
    """Wait for the node to report what it has loaded; a model that is gone again by then is not waited for."""
    with suppress(TimeoutError):
        async with asyncio.timeout(REPORT_WITHIN):
            while not _is_resident(load):
                await asyncio.sleep(LOOK_EVERY)


def _is_resident(load: Load) -> bool:
    node = get_fleet().node(load.node)
    return node is None or load.model in node.resident


async def _move(move: Move) -> int:
    most = current(JobPolicy).rebalance_most_moves
    moved = await get_fleet().move(move.source, move.target, move.count, most, move.unmet)
    if moved:
        log.info("moved %d waiting for %s from %s to %s", moved, move.source.model, move.source.node, move.target.node)
        broadcast("moved", {"source": [*move.source], "target": [*move.target], "count": moved})
    return moved


def _lease(load: Load) -> str:
    return f"load:{load.node}:{load.model}"
