"""A decision made ready to look at: candidates with their signals as bars, who was out and why, the time it took."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from routing.core.filters import FILTERS
from routing.core.signals import SIGNALS

ORDER = {signal.name: number for number, signal in enumerate(SIGNALS, 1)}  # also the number of its colour
REASONS = {row.reason: (row.applies.__doc__ or "").strip() for row in FILTERS}
NEW = len(ORDER) + 1  # the place of a signal that is no more
LEAST_SCALE = 100.0  # points: bars of low scores do not look like those of high ones
HOT = "hot"


@dataclass(frozen=True, slots=True)
class Bar:
    """One signal's points, the number of its colour, and its length in percent of the scale."""

    name: str
    points: float
    colour: int
    percent: float


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate: what speaks against it and what for it."""

    node: str
    model: str
    score: float
    won: bool
    bars: Sequence[Bar]
    inputs: Sequence[tuple[str, object]]

    @property
    def against(self) -> Sequence[Bar]:
        """The bars below zero, the longest last."""
        return sorted((bar for bar in self.bars if bar.points < 0), key=lambda bar: bar.percent)

    @property
    def speaks_for(self) -> Sequence[Bar]:
        """The bars above zero."""
        return [bar for bar in self.bars if bar.points > 0]


@dataclass(frozen=True, slots=True)
class Out:
    """One reason: how many it kept out, the sentence behind it, and some of them."""

    reason: str
    explained: str
    count: int
    examples: Sequence[tuple[str, str]]  # node, model


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the request's time."""

    name: str
    ms: float
    percent: float


def signal_names() -> list[str]:
    """The eight, as people read them."""
    return [name.replace("_", " ") for name in ORDER]


def lines(candidates: Sequence[Mapping[str, Any]], node: str, model: str) -> list[Line]:
    """The candidates in the order in which they would have been tried; `node` and `model` served."""
    scale = max([LEAST_SCALE, *(_reach(candidate) for candidate in candidates)])
    return [_line(candidate, scale, (node, model)) for candidate in candidates]


def winner(candidates: Sequence[Mapping[str, Any]], node: str, model: str) -> Line | None:
    """The candidate that served; before one did, the best."""
    every = lines(candidates, node, model)
    return next((line for line in every if line.won), every[0] if every else None)


def outs(eliminated: Iterable[Mapping[str, str]], counts: Mapping[str, int]) -> list[Out]:
    """Why others could not serve, the commonest reason first."""
    examples: dict[str, list[tuple[str, str]]] = {}
    for row in eliminated:
        examples.setdefault(row.get("reason", ""), []).append((row.get("node", ""), row.get("model", "")))
    totals = {reason: counts.get(reason, len(examples.get(reason, ()))) for reason in (*counts, *examples)}
    ordered = sorted(totals.items(), key=lambda total: -total[1])
    return [Out(_words(reason), REASONS.get(reason, ""), n, examples.get(reason, ())) for reason, n in ordered]


def spans(row: Mapping[str, Any], cold: bool) -> list[Span]:
    """Held, queued, loading or first token, answering; what has not come about is left out."""
    held, queued = row.get("held_ms") or 0.0, row.get("queue_ms") or 0.0
    first, total = row.get("first_token_ms"), row.get("total_ms")
    waited = held + queued
    reached = first if first is not None else total
    begun = [("held", held), ("queued", queued)]
    if reached is not None:
        begun.append((_until(row, cold), max(0.0, reached - waited)))
    if first is not None and total is not None:
        begun.append(("answering", max(0.0, total - first)))
    whole = sum(ms for _, ms in begun) or 1.0
    return [Span(name, ms, 100 * ms / whole) for name, ms in begun]


def was_cold(line: Line | None) -> bool:
    """Had the model to be loaded first?"""
    return line is not None and dict(line.inputs).get("residency", HOT) != HOT


def _until(row: Mapping[str, Any], cold: bool) -> str:
    """What the time between the wait and the first token, or the end, was."""
    if row.get("first_token_ms") is None:
        return "without an answer" if row.get("node") else "without a node"
    return "loading and first token" if cold else "first token"


def _line(candidate: Mapping[str, Any], scale: float, served: tuple[str, str]) -> Line:
    points = candidate.get("signals") or {}
    names = sorted(points, key=lambda name: ORDER.get(name, NEW))
    bars = [Bar(_words(n), points[n], ORDER.get(n, 0), 100 * abs(points[n]) / scale) for n in names]
    node, model = str(candidate.get("node") or ""), str(candidate.get("model") or "")
    inputs = [(_words(name), value) for name, value in (candidate.get("inputs") or {}).items()]
    return Line(node, model, candidate.get("score") or 0.0, (node, model) == served, bars, inputs)


def _reach(candidate: Mapping[str, Any]) -> float:
    """How many points there are on the longer side of zero."""
    points = (candidate.get("signals") or {}).values()
    return float(max(sum(p for p in points if p > 0), -sum(p for p in points if p < 0)))


def _words(name: str) -> str:
    return name.replace("_", " ")
