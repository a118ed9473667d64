"""Asking why: one fleet, one request, written down as JSON, ranked by the code that ranks real requests."""

from collections.abc import Mapping
from typing import Any

from nodes.lib.parameter import BadParameter, Value, build, parameters_of
from routing.core.case import Case, read_case
from routing.core.parameters import GROUPS, EliminationPolicy, ScoringWeights
from routing.core.ranking import Policy, Ranking, rank
from routing.core.reader import BadCase, Reader

ADDITIVE = "additive"
DECLARED = {p.environment: p for group in GROUPS for p in parameters_of(group)}


def explain(case: object) -> dict[str, Any]:
    """The ranking of a case as JSON; {"error": why} if the case can't be read."""
    try:
        root = Reader(case, "")
        root.text("policy", ADDITIVE, choices=(ADDITIVE,))
        policy = _policy(root.object("parameters"))
        return _answer(_ranked(read_case(root), policy))
    except (BadCase, BadParameter) as error:
        return {"error": str(error)}


def _ranked(case: Case, policy: Policy) -> Ranking:
    return rank(case.fleet, case.demand, policy, case.pin)


def _policy(changed: Reader) -> Policy:
    values = {name: _parsed(name, given, changed.at(name)) for name, given in changed.given.items()}
    return Policy(build(ScoringWeights, values), build(EliminationPolicy, values))


def _parsed(name: str, given: object, field: str) -> Value:
    if name not in DECLARED:
        raise BadCase(f"{field}: there is no such parameter")
    return DECLARED[name].parse(given)


def _answer(ranking: Ranking) -> dict[str, Any]:
    best = ranking.ranked[0] if ranking.ranked else None
    return {
        "outcome": ranking.outcome,
        "model": best.model if best else None,
        "node": best.node if best else None,
        "ranking": [_row(s.model, s.node, score=s.shown, signals=dict(s.signals)) for s in ranking.ranked],
        "eliminated": [_row(e.model, e.node, reason=e.reason) for e in ranking.eliminated],
    }


def _row(model: str, node: str, **more: object) -> Mapping[str, object]:
    return {"model": model, "node": node, **more}
