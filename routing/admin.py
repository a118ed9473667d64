"""Decisions and latencies to read, keys to make and revoke, nodes to steer."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from nodes.cells import grant_label
from nodes.lib.admin import ReadOnlyAdmin, ShowFacets, action, display, register, site
from nodes.lib.admin_pages import SecretAdmin
from nodes.models import Node
from routing import cells, keys
from routing import decision_list as listing
from routing.alias_admin import ModelAliasAdmin
from routing.forms import KeyForm
from routing.models import ApiKey, LatencyHistory, RoutingDecision
from routing.node_admin import SteeredNodeAdmin

__all__ = ["ModelAliasAdmin"]  # registered where it is declared

site.unregister(Node)
site.register(Node, SteeredNodeAdmin)

WIDE = ("candidates", "eliminated", "eliminated_counts", "attempts")


@register(RoutingDecision)
class RoutingDecisionAdmin(ReadOnlyAdmin):
    """Where each request went, and why."""

    list_display = ("time", "asked", "node", "signals", "points", "wait", "first_token", "total", "came_out")
    # No date_hierarchy: it truncates the date of every row, seconds in a large table; these filters walk an index.
    list_filter = (
        listing.PeriodFilter,
        listing.NodeFilter,
        listing.ModelFilter,
        listing.OutcomeFilter,
        listing.KeyFilter,
        listing.DialectFilter,
        ("at", listing.RangeFilter),
    )
    list_filter_submit = True
    search_fields = ("id",)  # what they find: get_search_results
    search_help_text = "A whole id, model, node or API key."
    show_full_result_count = False
    show_facets = ShowFacets.NEVER  # they count all rows of each choice
    list_max_show_all = 0
    sortable_by = ()
    paginator = listing.CappedPaginator
    change_form_template = "admin/fleet/decision.html"

    @display(description="time")
    def time(self, decision: RoutingDecision) -> str:
        return cells.time_text(decision.at)

    @display(description="asked")
    def asked(self, decision: RoutingDecision) -> SafeString:
        return cells.asked(decision.requested_model, decision.served_model, decision.key)

    @display(description="signals")
    def signals(self, decision: RoutingDecision) -> SafeString:
        return cells.winning_bars(decision)

    @display(description="score")
    def points(self, decision: RoutingDecision) -> SafeString:
        return cells.number(decision.score, 1)

    @display(description="wait")
    def wait(self, decision: RoutingDecision) -> SafeString:
        return cells.span((decision.held_ms or 0.0) + (decision.queue_ms or 0.0))

    @display(description="first token")
    def first_token(self, decision: RoutingDecision) -> SafeString:
        return cells.span(decision.first_token_ms)

    @display(description="total")
    def total(self, decision: RoutingDecision) -> SafeString:
        return cells.span(decision.total_ms)

    @display(description="outcome")
    def came_out(self, decision: RoutingDecision) -> SafeString:
        return cells.outcome_label(decision.outcome)

    def get_queryset(self, request: HttpRequest) -> QuerySet[RoutingDecision]:
        return super().get_queryset(request).defer(*WIDE)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return listing.DecisionList

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        return listing.search(queryset, search_term), False

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """The breakdown beside Django's own context."""
        return super().render_change_form(request, context | cells.decision_page(context["original"]), *args, **kwargs)


@register(LatencyHistory)
class LatencyHistoryAdmin(ReadOnlyAdmin):
    """How long each model takes on each node: the last 500 completed requests, without their wait."""

    list_display = ("model", "node", "median", "p75", "p95", "samples", "updated_at")
    list_filter = ("node",)
    search_fields = ("model", "node")
    fields = ("model", "node", "median", "p75", "p95", "samples", "updated_at", "recent")

    @display(description="p50")
    def median(self, row: LatencyHistory) -> SafeString:
        return cells.percentile_span(row.durations, 0.5)

    @display(description="p75", ordering="p75_ms")
    def p75(self, row: LatencyHistory) -> SafeString:
        return cells.percentile_span(row.durations, 0.75)

    @display(description="p95")
    def p95(self, row: LatencyHistory) -> SafeString:
        return cells.percentile_span(row.durations, 0.95)

    @display(description="recent, oldest first")
    def recent(self, row: LatencyHistory) -> SafeString:
        return cells.columns_of(row.durations)


@register(ApiKey)
class ApiKeyAdmin(SecretAdmin):
    """Who may use the router: a key is shown once when it is made, changed in what it may do, revoked for good."""

    form = KeyForm
    list_display = ("name", "state", "prefix", "may_use", "pull", "rpm", "max_in_flight", "expires_at", "created_at")
    search_fields = ("name", "prefix")
    fields = ("name", "models", "pull", "rpm", "max_in_flight", "expires_at")
    actions = ("revoke",)
    secret_title = "A new API key"
    secret_text = "Clients send it as “Authorization: Bearer …”. Only its digest is kept: it can't be shown again."

    @display(description="state")
    def state(self, key: ApiKey) -> SafeString:
        return grant_label(key.revoked_at is not None, key.expires_at)

    @display(description="models")
    def may_use(self, key: ApiKey) -> str:
        return ", ".join(key.models) or "all"

    @action(description="Revoke: opens nothing from now on", permissions=["change"])
    @transaction.atomic
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        """Take keys out of force."""
        in_force = list(chosen.filter(revoked_at=None))
        keys.revoke_all([key.pk for key in in_force])
        for key in in_force:
            self.note(request, key, "in force → revoked")
        self.message_user(request, f"{len(in_force)} revoked: they open nothing from now on.", "SUCCESS")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        """Decisions name a key: its name stays."""
        return ("name", "prefix", "created_at", "revoked_at") if obj else ()

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return (*self.fields, "prefix", "created_at", "revoked_at") if obj else self.fields

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        """Decisions name it: it is revoked, and stays."""
        return False

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        """A new key is made as the command makes it; the secret lives as long as this request."""
        if change:
            keys.save(obj)
        else:
            limits = {
                name: form.cleaned_data[name] for name in ("models", "pull", "rpm", "max_in_flight", "expires_at")
            }
            self.made(obj, keys.create(obj.name, **limits))
            obj.pk = ApiKey.objects.get(name=obj.name, revoked_at=None).pk
