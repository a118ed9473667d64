"""Making room for a held request: unload idle models that alone stand in its way (spec §3)."""

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
SETTLE = 10.0  # seconds in which a node's memory report catches up with what was unloaded


async def make_room(fleet: FleetSnapshot, trace: Trace) -> None:
    """Unload what is in the way on the best node, once for all who wait; written into the decision.

    `fleet` is what the trace's ranking saw.
    """
    request, ranking = trace.request, trace.ranking
    if request is None or ranking is None or not current(QueuePolicy).hold_makes_room:
        return
    policy = Policy(current(ScoringWeights), current(EliminationPolicy))
    room = plan_room(fleet, ranking, request.demand, policy, fleet.used_at)
    if room is not None and await get_fleet().lease(f"room:{room.node}", SETTLE):
        await _unload(fleet, room, trace)


async def _unload(fleet: FleetSnapshot, room: Room, trace: Trace) -> None:
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
