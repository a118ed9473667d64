"""A large table in the admin: filters and searches that walk an index, and a count that knows when to stop."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property, reduce
from itertools import chain
from operator import or_
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from nodes.core.names import normal
from nodes.fleet.glance import glance
from nodes.lib.admin import ChangeList, RangeDateTimeFilter, SimpleListFilter
from nodes.models import Node
from routing.decisions import EPOCH, RUNNING
from routing.models import ApiKey, LatencyHistory, RoutingDecision

MOST = 10_000  # decisions that a list reaches back
WITHOUT_INDEX = 100_000  # decisions that are read one by one
ENDS = {"from": "at__gte", "to": "at__lte"}
Choices = Sequence[tuple[str, str]]


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # the stubs' class is generic, Django's is not
    """Counts no further than a list reaches."""

    template_name = "admin/fleet/capped_pagination.html"

    @cached_property
    def count(self) -> int:
        """How many there are, MOST if there are more."""
        rows: Any = self.object_list
        return min(int(rows.order_by().values("pk")[: MOST + 1].count()), MOST)

    @property
    def is_capped(self) -> bool:
        """Are there (probably) more?"""
        return self.count == MOST


class DecisionList(ChangeList):
    """A page of decisions, with the candidates of these alone: they are wide."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        shown = [decision.pk for decision in self.result_list]
        wide = dict(RoutingDecision.objects.filter(pk__in=shown).values_list("pk", "candidates"))
        for decision in self.result_list:
            decision.candidates = wide.get(decision.pk, [])


def newest(rows: "QuerySet[RoutingDecision]", values: Sequence[str], columns: Sequence[str]) -> Any:
    """The rows that have one of the values in one of the columns: a walk down one index for each column."""
    walks = (rows.filter(**{f"{c}__in": values}).order_by("-at", "-id").values("pk")[:MOST] for c in columns)
    return rows.filter(reduce(or_, (Q(pk__in=walk) for walk in walks)))


class Filter(SimpleListFilter):
    """A filter with the choices that the fleet offers; a value that it does not offer any more still filters."""

    column = ""

    def offered(self) -> Iterator[str]:
        """The values to choose from."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        offered = sorted({*self.offered(), *filter(None, [request.GET.get(self.parameter_name or "")])})
        return [(value, value) for value in offered]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        value = self.value()
        return queryset if value is None else queryset.filter(**{self.column: value})


class NodeFilter(Filter):
    """By the node that served."""

    title, parameter_name = "node", "node"
    column = "node"

    def offered(self) -> Iterator[str]:
        return iter(Node.objects.values_list("name", flat=True))


class ModelFilter(Filter):
    """By the model, asked or served."""

    title, parameter_name = "model", "model"

    def offered(self) -> Iterator[str]:
        fleet = glance()
        there = chain.from_iterable((*node.resident, *node.on_disk) for node in fleet.nodes) if fleet else ()
        return chain(there, LatencyHistory.objects.values_list("model", flat=True))

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        value = self.value()
        return queryset if value is None else newest(queryset, [value], ("requested_model", "served_model"))


class KeyFilter(Filter):
    """By the API key that came with it."""

    title, parameter_name = "API key", "key"
    column = "key"

    def offered(self) -> Iterator[str]:
        return iter(ApiKey.objects.order_by("name").values_list("name", flat=True).distinct())


class OutcomeFilter(SimpleListFilter):
    """By what came of it."""

    title, parameter_name = "outcome", "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [(RUNNING, RUNNING), *RoutingDecision.OUTCOMES]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        value = self.value()
        return queryset if value is None else queryset.filter(outcome=None if value == RUNNING else value)


class DialectFilter(SimpleListFilter):
    """By dialect, which no index knows: among the newest alone."""

    title, parameter_name = f"dialect, of the newest {WITHOUT_INDEX:,}".replace(",", " "), "dialect"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return RoutingDecision.DIALECTS

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        value = self.value()
        if value is None:
            return queryset
        oldest = RoutingDecision.objects.order_by("-at").values_list("at", flat=True)[WITHOUT_INDEX - 1 : WITHOUT_INDEX]
        return queryset.filter(dialect=value, at__gte=oldest[0] if oldest else EPOCH)


class PeriodFilter(SimpleListFilter):
    """By how long ago."""

    title, parameter_name = "period", "period"
    PERIODS = {"15": "last 15 minutes", "60": "last hour", "1440": "last 24 hours", "10080": "last 7 days"}

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return list(self.PERIODS.items())

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        minutes = self.value()
        if minutes not in self.PERIODS:
            return queryset
        return queryset.filter(at__gte=timezone.now() - timedelta(minutes=int(minutes)))


class RangeFilter(RangeDateTimeFilter):
    """From a moment to a moment, UTC; what is no date bounds nothing."""

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> Any:
        given = {lookup: self._moment(end) for end, lookup in ENDS.items()}
        return queryset.filter(**{lookup: moment for lookup, moment in given.items() if moment})

    def _moment(self, end: str) -> datetime | None:
        day, clock = (str(self.used_parameters.get(f"at_{end}_{part}") or "") for part in (0, 1))
        try:
            moment = parse_datetime(f"{day} {clock or '00:00:00'}")
        except ValueError:
            return None
        return moment.replace(tzinfo=UTC) if moment else None


def search(rows: "QuerySet[RoutingDecision]", words: str) -> Any:
    """The rows whose id, model, node or key is what was typed, whole."""
    wanted = words.strip()
    if not wanted:
        return rows
    columns = ("requested_model", "served_model", "node", "key")
    return rows.filter(pk=wanted) | newest(rows, sorted({wanted, normal(wanted)}), columns)
