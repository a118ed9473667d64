"""Nodes and enrolment tokens in the admin."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from nodes import roster
from nodes.changes import bump
from nodes.core.liveness import state
from nodes.core.urls import BadUrl, engine_url
from nodes.core.values import NodeSnapshot
from nodes.fleet.glance import glance
from nodes.models import EnrolmentToken, Node

if TYPE_CHECKING:
    NodeForms = forms.ModelForm[Node]
    NodeAdmins = admin.ModelAdmin[Node]
    TokenAdmins = admin.ModelAdmin[EnrolmentToken]
else:
    NodeForms, NodeAdmins, TokenAdmins = forms.ModelForm, admin.ModelAdmin, admin.ModelAdmin


def live(node: Node) -> NodeSnapshot | None:
    """What the router sees of this node; None where there is no router in this process or it has not seen it."""
    fleet = glance()
    return fleet.node(node.id) if fleet else None


class NodeForm(NodeForms):
    """A node as an operator enters it, with the command's own rules."""

    def clean_url(self) -> str:
        """The address in its one form."""
        try:
            return engine_url(self.cleaned_data["url"])
        except BadUrl as error:
            raise forms.ValidationError(f"{error}.") from error


@admin.register(Node)
class NodeAdmin(NodeAdmins):
    """Nodes with what the router sees of them now."""

    form = NodeForm
    list_display = ("name", "url", "engine", "enrolment", "paused", "draining", "live_state", "resident_models")
    list_filter = ("engine", "enrolment", "paused", "draining")
    search_fields = ("name", "url", "note")
    readonly_fields = ("id", "live_state", "resident_models", "agent", "added_at")
    actions = ("approve", "pause", "resume", "drain")

    @admin.display(description="state")
    def live_state(self, node: Node) -> str:
        """The state the router sees, and why the node can't be reached."""
        seen = live(node)
        return " · ".join(filter(None, (state(seen), seen.trouble))) if seen else "–"

    @admin.display(description="in memory")
    def resident_models(self, node: Node) -> str:
        """The models in the node's memory."""
        seen = live(node)
        return ", ".join(seen.resident) if seen and seen.resident else "–"

    @admin.display(description="agent's credential")
    def agent(self, node: Node) -> str:
        """How the digest of the agent's credential begins."""
        return f"{node.credential[:8]}…" if node.credential else "no agent"

    @admin.action(description="Approve", permissions=["change"])
    def approve(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Let the router use these nodes."""
        self._act(request, nodes, "approve")

    @admin.action(description="Pause", permissions=["change"])
    def pause(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Send nothing to these nodes."""
        self._act(request, nodes, "pause")

    @admin.action(description="Resume", permissions=["change"])
    def resume(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Use these nodes again."""
        self._act(request, nodes, "resume")

    @admin.action(description="Drain", permissions=["change"])
    def drain(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Let these nodes finish what runs and send nothing new."""
        self._act(request, nodes, "drain")

    def save_model(self, request: HttpRequest, obj: Node, form: Any, change: bool) -> None:
        """Save, and tell every server; a new node gets its id."""
        obj.id = obj.id or roster.new_id(obj.name)
        super().save_model(request, obj, form, change)
        bump()

    def delete_model(self, request: HttpRequest, obj: Node) -> None:
        """Forget a node, and tell every server."""
        super().delete_model(request, obj)
        bump()

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Node]") -> None:
        """Forget several nodes, and tell every server."""
        super().delete_queryset(request, queryset)
        bump()

    def _act(self, request: HttpRequest, nodes: "QuerySet[Node]", action: str) -> None:
        done = roster.act_on(nodes.values_list("id", flat=True), action)
        self.message_user(request, f"{action}: {done} node{'s' if done != 1 else ''}. In force within two seconds.")


@admin.register(EnrolmentToken)
class EnrolmentTokenAdmin(TokenAdmins):
    """Tokens that agents join with: seen by their digests, revoked here."""

    list_display = ("name", "digest_prefix", "created_at", "expires_at", "uses_left", "revoked")
    fields = ("name", "digest_prefix", "created_at", "expires_at", "uses_left", "revoked")
    readonly_fields = ("digest_prefix", "created_at")

    @admin.display(description="digest")
    def digest_prefix(self, token: EnrolmentToken) -> str:
        """How the digest begins; the token itself is not kept."""
        return f"{token.digest[:8]}…"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A token is shown once, when it is made: not here."""
        return False
