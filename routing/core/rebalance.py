"""Stage 5: which waiting requests to move off deep queues, to nodes where the model is loaded."""

from dataclasses import dataclass, replace

from nodes.core.values import FleetSnapshot, QueueKey
from routing.core.candidates import NEEDS, Candidate, unmet
from routing.core.parameters import JobPolicy, QueuePolicy
from routing.core.ranking import Policy, rank
from routing.core.request import Demand
from routing.core.slots import has_free_slot


@dataclass(frozen=True, slots=True)
class Move:
    """Move up to `count` waiting requests; none that needs something in `unmet`, which the target can't do."""

    source: QueueKey
    target: QueueKey
    count: int
    unmet: frozenset[str]


def plan_moves(fleet: FleetSnapshot, policy: Policy, jobs: JobPolicy, queues: QueuePolicy) -> list[Move]:
    """The moves of one cycle, the deepest queue first; each is planned on the fleet as the earlier ones leave it."""
    moves: list[Move] = []
    for source in _overloaded(fleet, jobs):
        count = min(fleet.queues[source].pending // 2, jobs.rebalance_max - sum(m.count for m in moves))
        target = _target(source, count, fleet, policy, queues) if count > 0 else None
        if target is not None:
            move = Move(source, QueueKey(target.node.id, source.model), count, unmet(target.node, source.model, NEEDS))
            moves.append(move)
            fleet = _after(move, fleet)
    return moves


def _overloaded(fleet: FleetSnapshot, jobs: JobPolicy) -> list[QueueKey]:
    """Queues with as many waiting as the threshold or more, the deepest first."""
    over = [(queue, depth) for queue, depth in fleet.queues.items() if depth.pending >= jobs.rebalance_threshold]
    return [queue for queue, _ in sorted(over, key=lambda d: (-d[1].total, -d[1].pending))]


def _target(
    source: QueueKey, count: int, fleet: FleetSnapshot, policy: Policy, queues: QueuePolicy
) -> Candidate | None:
    """The best ranked other node that has the model in memory and is better off, even after the move."""
    left = fleet.queues[source].total - count
    for scored in rank(fleet, Demand((source.model,)), policy).ranked:
        there = scored.candidate
        if there.node.id == source.node or there.resident is None:
            continue
        if has_free_slot(there.node, source.model, fleet, queues) or there.depth + count < left:
            return there
    return None


def _after(move: Move, fleet: FleetSnapshot) -> FleetSnapshot:
    """The fleet as it stands once the move is made."""
    source, target = fleet.queues[move.source], fleet.depth(*move.target)
    moved = {
        move.source: replace(source, pending=source.pending - move.count),
        move.target: replace(target, pending=target.pending + move.count),
    }
    return replace(fleet, queues={**fleet.queues, **moved})
