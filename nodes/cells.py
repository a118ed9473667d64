"""What the admin shows of a node that is seen now: short pieces of HTML."""

from datetime import datetime

from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from nodes.core.liveness import state
from nodes.core.values import NodeSnapshot, ResidentModel
from nodes.sight import Sight

DASH = SafeString("–")
AGES = ((120.0, 1.0, "s"), (7200.0, 60.0, "min"), (172800.0, 3600.0, "h"))  # below so many seconds → unit
DAY = 86400.0
GRANT_STATES = {"in force": "online", "revoked": "offline", "expired": "degraded"}


def state_label(seen: Sight | None) -> SafeString:
    """The node's state in its colour, and why it can't be reached."""
    if seen is None:
        return format_html('<span class="state state-unknown">{}</span>', "not seen")
    word = state(seen.node)
    label = format_html('<span class="state state-{}">{}</span>', word, word)
    why = format_html('<span class="soft">{}</span>', seen.node.trouble) if seen.node.trouble else ""
    return format_html('<span class="stack">{}{}</span>', label, why)


def memory_bar(seen: Sight | None) -> SafeString:
    """What others, the models and nobody use of the node's memory."""
    memory = seen.node.memory if seen else None
    if seen is None or memory is None or memory.total_gb is None or memory.available_gb is None:
        return format_html('<span class="soft">{}</span>', "unknown" if seen else DASH)
    free, total = memory.available_gb, memory.total_gb
    ours, theirs = _shares(seen.node, free, total)
    text = f"{_gb(free)} of {_gb(total)} GB free" + ("" if memory.pressure == "normal" else f" · {memory.pressure}")
    return format_html(
        '<span class="memory"><span class="track" title="others {} GB · models {} GB · free {} GB">'
        '<i class="theirs" style="width:{}%"></i><i class="ours" style="width:{}%"></i></span>{}</span>',
        *map(_gb, (theirs, ours, free)),
        *(_percent(part, total) for part in (theirs, ours)),
        text,
    )


def model_chips(seen: Sight | None) -> SafeString:
    """The models in the node's memory."""
    models = seen.node.resident.values() if seen else ()
    chips = format_html_join("", '<span class="chip">{}</span>', ((_sized(model),) for model in models))
    return format_html('<span class="chips">{}</span>', chips) if chips else DASH


def queue_text(seen: Sight | None) -> SafeString:
    """How many of ours run and wait there."""
    if seen is None:
        return DASH
    if not seen.running and not seen.waiting:
        return format_html('<span class="soft">{}</span>', "idle")
    running = format_html("<span>{} running</span>", seen.running)
    waiting = format_html('<span class="soft">{} waiting</span>', seen.waiting) if seen.waiting else ""
    return format_html('<span class="stack">{}{}</span>', running, waiting)


def last_seen(seen: Sight | None) -> str:
    """How long ago the node spoke."""
    if seen is None or not seen.node.last_seen:
        return "never" if seen else DASH
    return ago(seen.now - seen.node.last_seen)


def engine_text(seen: Sight | None) -> str:
    """What the engine turned out to be."""
    return " ".join(filter(None, (seen.node.flavour or seen.node.engine, seen.node.version))) if seen else DASH


def grant_label(revoked: bool, expires_at: datetime | None) -> SafeString:
    """Is a key or token in force?"""
    expired = expires_at is not None and expires_at <= timezone.now()
    word = "revoked" if revoked else "expired" if expired else "in force"
    return format_html('<span class="state state-{}">{}</span>', GRANT_STATES[word], word)


def ago(seconds: float) -> str:
    """A span of time up to now, in its largest whole unit: `3 s ago`."""
    seconds = max(0.0, seconds)
    unit, name = next(((unit, name) for below, unit, name in AGES if seconds < below), (DAY, "d"))
    return f"{seconds // unit:.0f} {name} ago"


def _shares(node: NodeSnapshot, free: float, total: float) -> tuple[float, float]:
    """GB of the models and of everybody else: together what is not free."""
    used = max(0.0, total - free)
    ours = min(used, sum(model.size_gb or 0.0 for model in node.resident.values()))
    return ours, used - ours


def _sized(model: ResidentModel) -> str:
    return f"{model.name} · {_gb(model.size_gb)} GB" if model.size_gb else model.name


def _gb(gb: float) -> str:
    return f"{gb:.0f}" if gb >= 10 else f"{gb:.1f}"


def _percent(part: float, total: float) -> str:
    return f"{100 * part / total:.1f}" if total > 0 else "0"
