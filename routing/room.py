"""Making room for a held request: unload idle models that alone stand in its way (spec §3)."""

import asyncio
import logging

from nodes.core.values import FleetSnapshot
from nodes.fleet import get_fleet
from nodes.lib.live import current
from nodes.poller import ask_now
from routing.core.catalog import is_embedding
from routing.core.parameters import EliminationPolicy, QueuePolicy, ScoringWeights
from routing.core.problems import UpstreamFailed
from routing.core.ranking import Policy
from routing.core.room import Room, plan_room
from routing.recorder import Trace
from routing.upstreams import upstream_for

log = logging.getLogger(__name__)
AT_MOST = 60.0  # seconds until an unload that does not end is tried again
SETTLE = 10.0  # seconds in which a node's memory report catches up with what was unloaded

_at_work: set[asyncio.Task[None]] = set()


async def make_room(fleet: FleetSnapshot, trace: Trace) -> None:
    """Begin to unload what is in the way on the best node, once for all who wait; written into the decision.

    `fleet` is what the trace's ranking saw. Nobody waits for the unload: who is held hears of it as of any other news.
    """
    request, ranking = trace.request, trace.ranking
    if request is None or ranking is None or not current(QueuePolicy).hold_makes_room:
        return
    policy = Policy(current(ScoringWeights), current(EliminationPolicy))
    room = plan_room(fleet, ranking, request.demand, policy, fleet.used_at)
    if room is not None and await get_fleet().lease(_lease(room), AT_MOST):
        task = asyncio.create_task(_unload(fleet, room, trace), name=_lease(room))
        _at_work.add(task)
        task.add_done_callback(_at_work.discard)


async def _unload(fleet: FleetSnapshot, room: Room, trace: Trace) -> None:
    """One unload of all that is in the way; the lease lasts until the node's report has caught up."""
    node = fleet.node(room.node)
    assert node is not None
    for model in room.unload:
        words = f"unloaded idle {model} to make room for {room.model}"
        try:
            await upstream_for(node).unload(node, model, is_embedding(model, node.on_disk.get(model)))
        except UpstreamFailed as failure:
            words = f"could not unload idle {model}: {failure}"
        log.info("decision %s: %s: %s", trace.id, node.name, words)
        trace.attempts.append({"node": node.name, "error": words, "ms": 0.0})
    ask_now(room.node)
    await get_fleet().release(_lease(room))
    await get_fleet().lease(_lease(room), SETTLE)


def _lease(room: Room) -> str:
    return f"room:{room.node}"
