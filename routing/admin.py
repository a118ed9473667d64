"""Decisions and latencies to read, keys to revoke."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from routing import keys
from routing.models import ApiKey, LatencyHistory, RoutingDecision

WIDE = ("candidates", "eliminated", "eliminated_counts", "attempts")


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnly(ModelAdmin):
    """To look at; nobody adds, changes or deletes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(RoutingDecision)
class RoutingDecisionAdmin(ReadOnly):
    """Where each request went, and why."""

    list_display = ("id", "at", "requested_model", "served_model", "node", "score", "outcome", "status", "total_ms")
    # No date_hierarchy: it truncates the date of every row, seconds in a large table; the filter walks an index.
    list_filter = ("at", "outcome", "dialect", "node")
    search_fields = ("id__exact", "requested_model__exact", "served_model__exact", "node__exact")
    search_help_text = "A whole id, model or node."
    show_full_result_count = False
    exclude = WIDE
    readonly_fields = ("ranking", "out", "tries")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RoutingDecision]:
        return super().get_queryset(request).defer(*WIDE)

    @admin.display(description="candidates, best first")
    def ranking(self, decision: RoutingDecision) -> SafeString:
        signals = list(dict.fromkeys(name for c in decision.candidates for name in c.get("signals", {})))
        rows = [(c.get("node"), c.get("model"), c.get("score"), *_points(c, signals)) for c in decision.candidates]
        return table(("node", "model", "score", *signals), rows)

    @admin.display(description="eliminated")
    def out(self, decision: RoutingDecision) -> SafeString:
        counts = decision.eliminated_counts
        examples = [(row.get("node"), row.get("model"), row.get("reason")) for row in decision.eliminated]
        totals = [(f"{count} in all", "", reason) for reason, count in counts.items()]
        return table(("node", "model", "reason"), [*examples, *totals])

    @admin.display(description="attempts that failed")
    def tries(self, decision: RoutingDecision) -> SafeString:
        return table(("node", "error", "ms"), [(a.get("node"), a.get("error"), a.get("ms")) for a in decision.attempts])


@admin.register(LatencyHistory)
class LatencyHistoryAdmin(ReadOnly):
    """How long each model takes on each node."""

    list_display = ("node", "model", "p75_ms", "samples", "updated_at")
    list_filter = ("node",)
    search_fields = ("model",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnly):
    """Who may use the router. Keys are made with `manage.py key create`."""

    list_display = (
        "name",
        "prefix",
        "models",
        "pull",
        "rpm",
        "max_in_flight",
        "expires_at",
        "created_at",
        "revoked_at",
    )
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("routing.change_apikey")

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        count = keys.revoke_all(chosen.values_list("pk", flat=True))
        self.message_user(request, f"{count} revoked: they open nothing from now on.")


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> SafeString:
    """A table of plain values; a dash where there are none."""
    body = [(_cells(row),) for row in rows]
    head = format_html_join("", "<th>{}</th>", ((head.replace("_", " "),) for head in heads))
    return (
        format_html("<table><tr>{}</tr>{}</table>", head, format_html_join("", "<tr>{}</tr>", body)) if body else DASH
    )


def _cells(row: Iterable[object]) -> SafeString:
    return format_html_join("", "<td>{}</td>", ((_short(value),) for value in row))


def _points(candidate: Mapping[str, Any], signals: Iterable[str]) -> list[object]:
    return [candidate.get("signals", {}).get(name) for name in signals]


def _short(value: object) -> object:
    return f"{value:.2f}" if isinstance(value, float) else "–" if value is None else value


DASH = SafeString("–")
