"""A case of `explain` read into the words of the house; what is missing has the contract's defaults."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from nodes.core.names import normal
from nodes.core.values import (
    NO_DEPTH,
    Capacity,
    DiskModel,
    FleetSnapshot,
    Latency,
    Memory,
    NodeSnapshot,
    Pin,
    QueueDepth,
    QueueKey,
    ResidentModel,
)
from routing.core.reader import BadCase, Reader
from routing.core.request import Demand

ENOUGH_SAMPLES = 500
NO_OVERRIDE = "none"
Model = TypeVar("Model", ResidentModel, DiskModel)


class Case(NamedTuple):
    """A fleet, a demand, and where the session's last turn was served."""

    fleet: FleetSnapshot
    demand: Demand
    pin: Pin | None


def read_case(root: Reader) -> Case:
    """The case; raises BadCase naming the first field that can't be read."""
    clock = _Clock(root.number("now"))
    asked = root.object("request")
    models = tuple(dict.fromkeys(map(normal, asked.texts("models"))))
    if not models:
        raise BadCase("request.models: names no model")
    demand = Demand(models, asked.count("estimated_tokens") or 0, frozenset(asked.texts("needs")))
    return Case(_fleet(root, clock), demand, _pin(root.object("sessions"), asked.text("session", ""), clock))


class _Clock:
    """The case's `now`; asked for only where a time is given."""

    def __init__(self, now: float | None) -> None:
        self.now = now

    def needed_by(self, field: str) -> float:
        if self.now is None:
            raise BadCase(f"now: missing, and {field} is a time")
        return self.now


def _fleet(root: Reader, clock: _Clock) -> FleetSnapshot:
    given = tuple(root.objects("nodes"))
    nodes = tuple(_node(n, clock) for n in given)
    _no_node_twice(nodes)
    return FleetSnapshot(
        now=clock.now or 0.0,
        nodes=nodes,
        queues=_queues(root),
        latency={_queue(row): _latency(row) for row in root.objects("latency")},
        need_gb={normal(model): gb for model, gb in root.object("resident_need_gb").numbers().items()},
        chosen_at={n.text("id"): at for n in given if (at := n.number("last_chosen_at")) is not None},
        unhealthy=frozenset(QueueKey(n.text("id"), normal(model)) for n in given for model in n.texts("unhealthy")),
    )


def _no_node_twice(nodes: Iterable[NodeSnapshot]) -> None:
    seen: set[str] = set()
    for i, node in enumerate(nodes):
        if node.id in seen:
            raise BadCase(f"nodes[{i}].id: {node.id!r} is there twice")
        seen.add(node.id)


def _node(given: Reader, clock: _Clock) -> NodeSnapshot:
    unloaded = given.object("unloaded_at")
    if unloaded.given:
        clock.needed_by(unloaded.path)
    return NodeSnapshot(
        id=given.text("id"),
        status=given.text("status", "online", choices=("online", "degraded", "offline")),
        enrolment=given.text("enrolment", "approved", choices=("approved", "pending")),
        reachable=given.flag("reachable", True),
        paused=given.flag("paused", False),
        draining=given.flag("draining", False),
        memory=_memory(given.object("memory")),
        bandwidth_gbps=given.number("bandwidth_gbps") or None,
        parallel=given.count("parallel"),
        resident=_by_name(_resident(m) for m in given.objects("resident")),
        on_disk=_by_name(_on_disk(m) for m in given.objects("on_disk")),
        unloaded_at={normal(model): at for model, at in unloaded.numbers().items()},
        capacity=_capacity(given.object("capacity")),
    )


def _memory(given: Reader) -> Memory:
    available = given.number("available_gb", least=float("-inf"))  # a grant can be overdrawn
    return Memory(given.number("total_gb"), available, given.text("pressure", "normal"))


def _resident(given: Reader) -> ResidentModel:
    return ResidentModel(
        normal(given.text("name")),
        given.number("size_gb") or None,
        given.count("context") or None,
        given.flag("idle", False),
        given.flag("pinned", False),
    )


def _on_disk(given: Reader) -> DiskModel:
    says = frozenset(given.texts("capabilities"))
    return DiskModel(normal(given.text("name")), given.number("size_gb") or None, capabilities=says or None)


def _by_name(models: Iterable[Model]) -> dict[str, Model]:
    """Models by name; one that is listed twice is the larger of the two."""
    by_name: dict[str, Model] = {}
    for model in models:
        known = by_name.get(model.name)
        if known is None or (model.size_gb or 0.0) > (known.size_gb or 0.0):
            by_name[model.name] = model
    return by_name


def _capacity(given: Reader) -> Capacity:
    defaults = Capacity()
    override = given.text("override", NO_OVERRIDE, choices=(NO_OVERRIDE, "pause", "full"))
    days, availability = given.number("observed_days"), given.number("availability")
    return Capacity(
        learning=given.flag("learning", False),
        override=None if override == NO_OVERRIDE else override,
        observed_days=defaults.observed_days if days is None else days,
        availability=defaults.availability if availability is None else availability,
        ceiling_gb=given.number("ceiling_gb"),
        meeting=given.flag("meeting", False),
        cpu_over_85_seconds=given.number("cpu_over_85_seconds") or 0.0,
    )


def _queue(row: Reader) -> QueueKey:
    return QueueKey(row.text("node"), normal(row.text("model")))


def _queues(root: Reader) -> dict[QueueKey, QueueDepth]:
    queues: dict[QueueKey, QueueDepth] = {}
    for row in root.objects("queues"):
        before = queues.get(_queue(row), NO_DEPTH)
        in_flight, pending = row.count("in_flight") or 0, row.count("pending") or 0
        queues[_queue(row)] = QueueDepth(before.in_flight + in_flight, before.pending + pending)
    return queues


def _latency(row: Reader) -> Latency:
    p75, samples = row.number("p75_ms"), row.count("samples")
    if p75 is None:
        raise BadCase(f"{row.at('p75_ms')}: missing")
    return Latency(p75, ENOUGH_SAMPLES if samples is None else samples)


def _pin(sessions: Reader, session: str, clock: _Clock) -> Pin | None:
    if sessions.given.get(session) is None:
        return None
    pinned = sessions.object(session)
    at = pinned.number("at")
    fresh = clock.now or 0.0
    if at is not None:
        clock.needed_by(pinned.at("at"))
    return Pin(normal(pinned.text("model")), pinned.text("node"), fresh if at is None else at)
