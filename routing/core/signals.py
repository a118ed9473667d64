"""Stage 2, scoring: eight signals, one small function each. Their sum ranks; the highest wins."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from routing.core.candidates import Candidate
from routing.core.estimates import guessed_seconds
from routing.core.parameters import ScoringWeights


class Signal(NamedTuple):
    """One signal: its name in the breakdown and what it is worth."""

    name: str
    points: Callable[[Candidate, ScoringWeights], float]


HOT, WARM, COLD = "hot", "warm", "cold"
# available ÷ need above this → share of the most
FIT_TIERS = ((2.0, 1.0), (1.5, 0.75), (1.2, 0.4))
TIGHT_FIT = 0.15
# context ÷ estimated tokens below this → share of the most
CONTEXT_TIERS = ((1.0, -1.0), (1.5, 0.2), (3.0, 0.5), (8.0, 0.8))
AMPLE_CONTEXT = 1.0
LARGE, MEDIUM, SMALL = "large", "medium", "small"
ROLE_SCALE = 25.0  # what the points of role affinity below are out of
LARGE_BY_MEMORY = ((128.0, 15.0), (32.0, 5.0))  # at least this many GB in all → points
SMALL_BY_MEMORY = ((32.0, 15.0), (128.0, 8.0))  # at most this many GB in all → points
ROLE_BY_BANDWIDTH: Mapping[str, Callable[[float], float]] = {
    LARGE: lambda bonus: bonus,
    MEDIUM: lambda bonus: 0.6 * bonus,
    SMALL: lambda bonus: max(3.0, 18 - 0.6 * bonus),
}
ROLE_BY_MEMORY: Mapping[str, Callable[[float], float]] = {
    LARGE: lambda total: next((points for least, points in LARGE_BY_MEMORY if total >= least), 0.0),
    MEDIUM: lambda total: 5.0,
    SMALL: lambda total: next((points for most, points in SMALL_BY_MEMORY if total <= most), 3.0),
}
ROLE_OF_UNKNOWN: Mapping[str, float] = {LARGE: 0.0, MEDIUM: 5.0, SMALL: 8.0}


def model_warmth(c: Candidate, w: ScoringWeights) -> float:
    """Is the model in memory, or its file likely still cached?"""
    if c.resident is not None:
        return w.model_hot
    return w.model_warm if residency(c, w) == WARM else w.model_cold


def memory_fit(c: Candidate, w: ScoringWeights) -> float:
    """How comfortably does the model fit?"""
    if c.resident is not None:
        return w.memory_fit
    if c.available_gb is None:
        return 0.0
    ratio = c.available_gb / c.need_gb
    for above, share in FIT_TIERS:
        if ratio > above:
            return w.memory_fit * share
    return w.memory_fit * TIGHT_FIT


def queue_depth(c: Candidate, w: ScoringWeights) -> float:
    """How many run or wait for this model there?"""
    depth = c.depth / c.relative_speed if w.queue_by_bandwidth else c.depth
    return 0.0 - min(w.queue_max, w.queue_per * depth)


def wait_time(c: Candidate, w: ScoringWeights) -> float:
    """How long would those take?"""
    if not c.depth:
        return 0.0
    return 0.0 - min(w.wait_max, c.depth * seconds_each(c, w) / w.wait_seconds_per_point)


def role_affinity(c: Candidate, w: ScoringWeights) -> float:
    """Is it the machine for a model of this size: large ones on fast machines, small ones on the others?"""
    size = _size(c.weights_gb, w)
    if c.node.bandwidth_gbps:
        points = ROLE_BY_BANDWIDTH[size](min(ROLE_SCALE, 5 + c.node.bandwidth_gbps / 40))
    elif c.node.memory.total_gb is not None:
        points = ROLE_BY_MEMORY[size](c.node.memory.total_gb)
    else:
        points = ROLE_OF_UNKNOWN[size]
    return points * w.role_max / ROLE_SCALE


def availability_trend(c: Candidate, w: ScoringWeights) -> float:
    """With learning on: how free is the machine, now and soon?"""
    capacity = c.node.capacity
    return w.availability_max * capacity.availability if capacity is not None and capacity.learning else 0.0


def context_fit(c: Candidate, w: ScoringWeights) -> float:
    """Does the loaded context hold the request?"""
    context = context_of(c)
    if context is None or c.tokens <= 0:
        return 0.0
    ratio = context / c.tokens
    for below, share in CONTEXT_TIERS:
        if ratio < below:
            return w.context_max * share
    return w.context_max * AMPLE_CONTEXT


def session_affinity(c: Candidate, w: ScoringWeights) -> float:
    """Does it still hold this conversation's prefix cache?"""
    if c.session_ago is None or c.resident is None or c.session_ago > w.session_seconds:
        return 0.0
    return w.session_max / (1 + c.depth / 2)


SIGNALS = (
    Signal("model_warmth", model_warmth),
    Signal("memory_fit", memory_fit),
    Signal("queue_depth", queue_depth),
    Signal("wait_time", wait_time),
    Signal("role_affinity", role_affinity),
    Signal("availability_trend", availability_trend),
    Signal("context_fit", context_fit),
    Signal("session_affinity", session_affinity),
)


NAMES = tuple(signal.name for signal in SIGNALS)


def points_of(candidates: Sequence[Candidate], w: ScoringWeights) -> list[tuple[float, ...]]:
    """What each signal gives each candidate, in the order of SIGNALS; reckoned signal by signal, which is faster."""
    return list(zip(*([points(c, w) for c in candidates] for _, points in SIGNALS), strict=True))


def named(points: Sequence[float]) -> dict[str, float]:
    """The breakdown by the names of the signals."""
    return dict(zip(NAMES, points, strict=True))


def residency(c: Candidate, w: ScoringWeights) -> str:
    """hot: in memory; warm: unloaded a short while ago; cold: on disk."""
    if c.resident is not None:
        return HOT
    return WARM if c.unloaded_ago is not None and c.unloaded_ago < w.warm_seconds else COLD


def is_measured(c: Candidate, w: ScoringWeights) -> bool:
    """Have enough requests completed there to believe their percentile?"""
    return c.latency is not None and c.latency.samples >= w.wait_min_samples


def seconds_each(c: Candidate, w: ScoringWeights) -> float:
    """Seconds of one request there: the measured 75th percentile, else a guess from size and bandwidth."""
    if c.latency is not None and c.latency.samples >= w.wait_min_samples:
        return c.latency.p75_ms / 1000
    return guessed_seconds(c.weights_gb, c.node.bandwidth_gbps)


def context_of(c: Candidate) -> int | None:
    """The context it is loaded with, in tokens; None if it is not loaded or does not say."""
    return (c.resident.context or None) if c.resident is not None else None


def _size(weights: float, w: ScoringWeights) -> str:
    if weights > w.role_large_gb:
        return LARGE
    return SMALL if weights < w.role_small_gb else MEDIUM
