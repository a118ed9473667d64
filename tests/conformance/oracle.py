"""The ranking a second time, from the written rules alone: what the core is measured against."""

from collections.abc import Callable

from tests.conformance.facts import Json, Pair
from tests.conformance.points import SIGNALS
from tests.conformance.reading import asked, given, pairs, settings

Predicate = Callable[[Pair, Json], bool]
Scored = tuple[Pair, dict[str, float]]

TIE = 1e-9

CAPACITY: tuple[Predicate, ...] = (
    lambda p, s: p.override == "pause",
    lambda p, s: p.busy_seconds >= s["FLEET_CAPACITY_BUSY_SECONDS"],
    lambda p, s: p.availability < s["FLEET_CAPACITY_MIN_AVAILABILITY"],
    lambda p, s: p.observed_days < s["FLEET_CAPACITY_BOOTSTRAP_DAYS"],
)

REASONS: tuple[tuple[str, Predicate], ...] = (
    ("pending", lambda p, s: p.pending),
    ("offline", lambda p, s: p.offline),
    ("unreachable", lambda p, s: p.unreachable),
    ("paused", lambda p, s: p.paused),
    ("draining", lambda p, s: p.draining),
    ("memory_pressure", lambda p, s: p.critical and not (p.resident and s["FLEET_PRESSURE_SPARES_RESIDENT"])),
    ("capacity", lambda p, s: p.learning and (p.meeting or taken_by_its_owner(p, s))),
    ("model_absent", lambda p, s: not has_model(p)),
    ("capability", lambda p, s: p.lacks_need),
    ("unhealthy", lambda p, s: p.unhealthy),
    ("no_memory", lambda p, s: not p.resident and p.available_gb is not None and p.available_gb < p.need_gb),
)


def answer(case: Json) -> Json:
    """What `explain` must say of the case."""
    case = given(case)
    all_pairs, chosen = pairs(case), settings(case)
    reasons = [reason(pair, chosen) for pair in all_pairs]
    scored = [(pair, signals(pair, chosen)) for pair, why in zip(all_pairs, reasons, strict=True) if why is None]
    ranking = [row(*each) for each in ranked(scored, several=len(asked(case)) > 1)]
    best = ranking[0] if ranking else {"model": asked(case)[0], "node": None}
    return {
        "outcome": "route" if ranking else refusal(all_pairs),
        "model": best["model"],
        "node": best["node"],
        "ranking": ranking,
        "eliminated": [
            {"model": pair.model, "node": pair.node, "reason": why}
            for pair, why in zip(all_pairs, reasons, strict=True)
            if why is not None
        ],
    }


def reason(pair: Pair, chosen: Json) -> str | None:
    """Why the node is out for the model, or None if it is in."""
    return next((name for name, holds in REASONS if holds(pair, chosen)), None)


def taken_by_its_owner(pair: Pair, chosen: Json) -> bool:
    """Does anything but a meeting keep requests off a learning node?"""
    return pair.override != "full" and any(holds(pair, chosen) for holds in CAPACITY)


def has_model(pair: Pair) -> bool:
    """Is the model in the node's memory or on its disk?"""
    return pair.resident or pair.on_disk


def refusal(all_pairs: list[Pair]) -> str:
    """What becomes of a request that no node can take."""
    approved = [pair for pair in all_pairs if not pair.pending]
    holders = [pair for pair in approved if has_model(pair)]
    if not approved:
        return "hold"
    if not holders:
        return "unknown_model"
    return "invalid" if all(pair.lacks_need for pair in holders) else "hold"


def ranked(scored: list[Scored], *, several: bool) -> list[Scored]:
    """The pairs in the order in which the router tries them; a list of models is tried resident ones first."""
    groups: dict[tuple[bool, int], list[Scored]] = {}
    for each in scored:
        groups.setdefault((not each[0].resident, each[0].listed) if several else (False, 0), []).append(each)
    return [each for key in sorted(groups) for each in by_score(groups[key])]


def by_score(scored: list[Scored]) -> list[Scored]:
    """The highest total first; those that tie with the first of their group by load, last choice, enrolment."""
    rest = sorted(scored, key=total, reverse=True)
    tied = [each for each in rest if total(rest[0]) - total(each) <= TIE]
    tied.sort(key=lambda each: (each[0].node_depth, each[0].last_chosen, each[0].enrolled))
    return tied + by_score(rest[len(tied) :]) if rest else []


def total(scored: Scored) -> float:
    """The sum of the signals."""
    return sum(scored[1].values())


def row(pair: Pair, points: dict[str, float]) -> Json:
    """One line of the ranking."""
    return {"model": pair.model, "node": pair.node, "score": sum(points.values()), "signals": points}


def signals(pair: Pair, chosen: Json) -> dict[str, float]:
    """The points of each signal."""
    return {name: points(pair, chosen) for name, points in SIGNALS.items()}
