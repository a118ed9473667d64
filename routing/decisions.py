"""The table of decisions, read: a page of it, or one row. For synchronous code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import Combinable, RawSQL

from nodes.core.names import normal
from routing.models import RoutingDecision

Row = Mapping[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
RUNNING = "running"  # how a filter names the outcome of what has none yet


class Place(NamedTuple):
    """A decision's place in the order of the table."""

    at: datetime
    id: str

    def __str__(self) -> str:
        return f"{(self.at - EPOCH) // MICROSECOND}-{self.id}"

    @classmethod
    def parse(cls, text: str) -> "Place":
        """The place that `str` wrote; ValueError or OverflowError on anything else."""
        micros, _, decision = text.partition("-")
        if not decision:
            raise ValueError(f"{text!r} is no place in the list of decisions")
        return cls(EPOCH + int(micros) * MICROSECOND, decision)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which decisions; None: all."""

    limit: int = 100
    since: datetime | None = None
    before: Place | None = None
    node: str | None = None
    model: str | None = None  # asked or served
    outcome: str | None = None
    key: str | None = None
    tag: str | None = None


def one(decision: str) -> Row | None:
    """The columns of one decision."""
    return RoutingDecision.objects.filter(id=decision).values().first()


def page(wanted: Wanted) -> tuple[Sequence[Row], Place | None]:
    """The newest of the wanted decisions, newest first, and the place of the last one if there are more."""
    given = {name: value for name in CONDITIONS if (value := getattr(wanted, name)) is not None}
    matching = RoutingDecision.objects.filter(*(CONDITIONS[name](value) for name, value in given.items()))
    rows = _newest(matching, wanted.model, wanted.limit + 1)
    shown = rows[: wanted.limit]
    return shown, Place(shown[-1]["at"], shown[-1]["id"]) if len(rows) > wanted.limit else None


def _newest(matching: QuerySet[RoutingDecision], model: str | None, count: int) -> Sequence[Row]:
    """One walk down one index for each way to name the model: an OR in one query would sort all it matches."""
    names = product(("requested_model", "served_model"), sorted({model, normal(model)})) if model else [("", "")]
    walks = [matching.filter(**{column: name}) if column else matching for column, name in names]
    found = {row["id"]: row for walk in walks for row in walk.order_by("-at", "-id").values()[:count]}
    return sorted(found.values(), key=lambda row: (row["at"], row["id"]), reverse=True)[:count]


def _older(place: Place) -> Q:
    return Q(at__lte=place.at) & ~Q(at=place.at, id__gte=place.id)


def _tagged(tag: str) -> Q | Combinable:
    """Django has no `contains` for JSON on SQLite."""
    if connection.vendor != "sqlite":
        return Q(tags__contains=[tag])
    inside = f"EXISTS (SELECT 1 FROM json_each({RoutingDecision._meta.db_table}.tags) WHERE value = %s)"
    return RawSQL(inside, [tag], output_field=BooleanField())


CONDITIONS: Mapping[str, Callable[[Any], Q | Combinable]] = {
    "since": lambda moment: Q(at__gte=moment),
    "before": _older,
    "node": lambda node: Q(node=node),
    "outcome": lambda outcome: Q(outcome=None if outcome == RUNNING else outcome),
    "key": lambda key: Q(key=key),
    "tag": _tagged,
}
