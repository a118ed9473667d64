"""The eight signals as the written rules put them."""

from collections.abc import Callable, Iterable

from tests.conformance.facts import Json, Pair

Points = Callable[[Pair, Json], float]
Tiers = tuple[tuple[float, float], ...]

# Memory for the need, over which a share of the most is earned; what just fits earns the last share.
MEMORY_TIERS: Tiers = ((2.0, 1.0), (1.5, 0.75), (1.2, 0.4))
MEMORY_TIGHT = 0.15

# Context for the tokens, under which a share of the most is earned; more earns all of it.
CONTEXT_TIERS: Tiers = ((1.0, -1.0), (1.5, 0.2), (3.0, 0.5), (8.0, 0.8))

# Where bandwidth is unknown: total GB from which a large model earns points, up to which a small one does.
LARGE_BY_TOTAL: Tiers = ((128, 15), (32, 5), (0, 0))
SMALL_BY_TOTAL: Tiers = ((32, 15), (128, 8), (float("inf"), 3))
NOTHING_KNOWN = {"large": 0.0, "small": 8.0, "between": 5.0}


def model_warmth(p: Pair, s: Json) -> float:
    """In memory, just unloaded, or on disk."""
    warm = p.unloaded_ago is not None and p.unloaded_ago < s["FLEET_SCORE_WARM_SECONDS"]
    tier = "HOT" if p.resident else "WARM" if warm else "COLD"
    return float(s[f"FLEET_SCORE_MODEL_{tier}"])


def memory_fit(p: Pair, s: Json) -> float:
    """Room to spare once the model is loaded."""
    most: float = s["FLEET_SCORE_MEMORY_FIT_MAX"]
    if p.resident:
        return most
    if p.available_gb is None:
        return 0.0
    ratio = p.available_gb / p.need_gb
    return most * first((share for over, share in MEMORY_TIERS if ratio > over), MEMORY_TIGHT)


def queue_depth(p: Pair, s: Json) -> float:
    """What the queue costs, counted by relative speed if so chosen."""
    speed = 1.0
    if s["FLEET_QUEUE_PENALTY_BANDWIDTH_NORMALIZE"] and p.bandwidth and p.median_bandwidth:
        speed = min(4.0, max(0.25, p.bandwidth / p.median_bandwidth))
    cost = s["FLEET_SCORE_QUEUE_DEPTH_PENALTY_PER"] * (p.depth / speed)
    return -float(min(s["FLEET_SCORE_QUEUE_DEPTH_MAX_PENALTY"], cost))


def wait_time(p: Pair, s: Json) -> float:
    """What the wait costs, measured or estimated."""
    seconds = p.p75_seconds if p.p75_seconds is not None else 100 / tokens_per_second(p)
    cost = p.depth * seconds / s["FLEET_SCORE_WAIT_TIME_SECONDS_PER_POINT"]
    return -float(min(s["FLEET_SCORE_WAIT_TIME_MAX_PENALTY"], cost))


def tokens_per_second(p: Pair) -> float:
    """The guess before enough was measured, from bandwidth and weights."""
    if p.bandwidth is None:
        return max(1.0, 100 / max(1.0, p.weights_gb))
    return max(10.0, 1.2 * p.bandwidth / max(1.0, p.weights_gb / 10))


def role_affinity(p: Pair, s: Json) -> float:
    """Large models to fast nodes, small ones to slow nodes; everything scales from a most of 25."""
    large = p.weights_gb > s["FLEET_SCORE_ROLE_LARGE_THRESHOLD_GB"]
    small = p.weights_gb < s["FLEET_SCORE_ROLE_SMALL_THRESHOLD_GB"]
    role = "large" if large else "small" if small else "between"
    points = by_bandwidth(role, p.bandwidth) if p.bandwidth is not None else by_total(role, p.total_gb)
    return float(points * s["FLEET_SCORE_ROLE_AFFINITY_MAX"] / 25)


def by_bandwidth(role: str, bandwidth: float) -> float:
    """Signal 5 where the bandwidth is known."""
    bonus = min(25.0, 5 + bandwidth / 40)
    return {"large": bonus, "small": max(3.0, 18 - 0.6 * bonus), "between": 0.6 * bonus}[role]


def by_total(role: str, total_gb: float | None) -> float:
    """Signal 5 where it is not."""
    if total_gb is None or role == "between":
        return NOTHING_KNOWN[role]
    if role == "large":
        return next(points for least, points in LARGE_BY_TOTAL if total_gb >= least)
    return next(points for most, points in SMALL_BY_TOTAL if total_gb <= most)


def availability_trend(p: Pair, s: Json) -> float:
    """How available a learning node is."""
    return float(s["FLEET_SCORE_AVAILABILITY_TREND_MAX"] * p.availability) if p.learning else 0.0


def context_fit(p: Pair, s: Json) -> float:
    """Does the loaded context hold the request?"""
    if not (p.resident and p.context and p.tokens):
        return 0.0
    ratio = p.context / p.tokens
    return float(s["FLEET_SCORE_CONTEXT_FIT_MAX"]) * first(
        (share for under, share in CONTEXT_TIERS if ratio < under), 1
    )


def session_affinity(p: Pair, s: Json) -> float:
    """The node that holds the conversation's prefix, less as its queue grows."""
    held = p.session_ago is not None and p.session_ago <= s["FLEET_SCORE_SESSION_SECONDS"]
    return s["FLEET_SCORE_SESSION_AFFINITY_MAX"] / (1 + p.depth / 2) if held and p.resident else 0.0


def first(shares: Iterable[float], otherwise: float) -> float:
    """The first share, or the other where there is none."""
    return next(iter(shares), otherwise)


SIGNALS: dict[str, Points] = {
    "model_warmth": model_warmth,
    "memory_fit": memory_fit,
    "queue_depth": queue_depth,
    "wait_time": wait_time,
    "role_affinity": role_affinity,
    "availability_trend": availability_trend,
    "context_fit": context_fit,
    "session_affinity": session_affinity,
}
