"""What the admin shows of decisions and latencies: short pieces of HTML, and the values of a decision's page."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from nodes.core.names import normal
from nodes.core.window import percentile
from routing import breakdown
from routing.breakdown import Bar, Line
from routing.decisions import RUNNING
from routing.models import RoutingDecision

DASH = SafeString("–")
# outcome → the colour of its label; any other is a failure
OUTCOME_STATES: Mapping[str, str] = {"completed": "online", RUNNING: "running", "client_gone": "paused"}
MOST_COLUMNS = 120
FACTS = ("path", "dialect", "stream", "policy", "parameters_version", "key", "tags", "session", "route", "status")


def time_text(at: datetime) -> SafeString:
    """The moment, to the tenth of a second, UTC."""
    text = at.strftime("%H:%M:%S") + f".{at.microsecond // 100000}"
    return format_html(
        '<span class="stack"><b>{}</b><span class="soft">{}</span></span>', text, at.strftime("%Y-%m-%d")
    )


def asked(requested: str, served: str, key: str) -> SafeString:
    """What was asked, what was served instead, and who asked."""
    arrow = format_html(" → {}", served) if served and served != normal(requested) else ""
    whose = format_html('<span class="soft">{}</span>', key) if key else ""
    return format_html('<span class="stack"><span>{}{}</span>{}</span>', requested or DASH, arrow, whose)


def winning_bars(decision: RoutingDecision) -> SafeString:
    """The winner's signals as bars; without one, why."""
    line = breakdown.winner(decision.candidates, decision.node, decision.served_model)
    return bars(line) if line else format_html('<span class="soft reason">{}</span>', decision.reason or DASH)


def bars(line: Line) -> SafeString:
    """What speaks against a candidate to the left of zero, what for it to the right."""
    against, speaks_for = (format_html_join("", BAR, map(_bar, part)) for part in (line.against, line.speaks_for))
    return format_html(
        '<span class="signals"><span class="neg">{}</span><span class="pos">{}</span></span>', against, speaks_for
    )


def outcome_label(outcome: str | None) -> SafeString:
    """How it came out, in its colour."""
    word = outcome or RUNNING
    state = OUTCOME_STATES.get(word, "offline")
    return format_html('<span class="state state-{}">{}</span>', state, word.replace("_", " "))


def number(value: float | None, digits: int = 2) -> SafeString:
    """A number as it stands in a column."""
    return DASH if value is None else format_html('<span class="number">{}</span>', f"{value:.{digits}f}")


def span(ms: float | None) -> SafeString:
    """Milliseconds, from ten seconds on in tenths of a second."""
    if ms is None:
        return DASH
    return format_html('<span class="number">{}</span>', f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s")


def percentile_span(durations: Sequence[float], share: float) -> SafeString:
    """A percentile of durations in seconds."""
    return span(percentile(sorted(durations), share) * 1000) if durations else DASH


def columns_of(durations: Sequence[float]) -> SafeString:
    """The last durations, seconds, as columns."""
    last = durations[-MOST_COLUMNS:]
    highest = max(last, default=0.0) or 1.0
    columns = ((f"{100 * seconds / highest:.1f}", f"{seconds:.2f}") for seconds in last)
    drawn = format_html_join("", '<i style="height:{}%" title="{} s"></i>', columns)
    return format_html('<span class="columns">{}</span><span class="soft">highest {} s</span>', drawn, f"{highest:.2f}")


def decision_page(decision: RoutingDecision) -> dict[str, Any]:
    """All that a decision's page shows."""
    lines = breakdown.lines(decision.candidates, decision.node, decision.served_model)
    won = breakdown.winner(decision.candidates, decision.node, decision.served_model)
    spans = breakdown.spans(vars(decision), breakdown.was_cold(won))
    return {
        "title": f"Why {decision.node}?" if decision.node else "Why no node?",
        "decision": decision,
        "asked": asked(decision.requested_model, decision.served_model, ""),
        "outcome": outcome_label(decision.outcome),
        "facts": [(name.replace("_", " "), _fact(getattr(decision, name))) for name in FACTS],
        "tokens": (decision.prompt_tokens, decision.completion_tokens),
        "spans": [(s, span(s.ms), f"{s.percent:.2f}") for s in spans],
        "signal_names": list(enumerate(breakdown.signal_names(), 1)),
        "candidates": [(line, bars(line), _inputs(line)) for line in lines],
        "outs": breakdown.outs(decision.eliminated, decision.eliminated_counts),
        "attempts": [(a.get("node"), a.get("error"), span(a.get("ms"))) for a in decision.attempts],
    }


BAR = '<i class="s{}" style="width:{}%" title="{} {}"></i>'


def _bar(bar: Bar) -> tuple[object, ...]:
    return bar.colour, f"{bar.percent:.1f}", bar.name, f"{bar.points:+.1f}"


def _inputs(line: Line) -> list[tuple[str, object]]:
    return [(name, _fact(value)) for name, value in line.inputs]


def _fact(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(map(str, value)) or DASH
    return DASH if value is None or value == "" else value
