"""Nodes and enrolment tokens in the admin."""

from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.html import format_html
from django.utils.safestring import SafeString

from nodes import cells, roster
from nodes.changes import bump
from nodes.forms import NodeForm, TokenForm
from nodes.lib.admin import ModelAdmin, action, display, register
from nodes.lib.admin_pages import SecretAdmin, choose, chosen, show_once
from nodes.lib.digest import digest, new_secret
from nodes.models import EnrolmentToken, Node
from nodes.sight import sight

Fieldsets = tuple[tuple[str | None, Any], ...]
SEEN = ("state", "memory", "resident", "queue", "version", "last_seen")
DECIDED: Fieldsets = (
    (None, {"fields": ("name", "url", "engine", "note")}),
    ("Use", {"fields": ("enrolment", "paused", "draining")}),
    ("Machine", {"fields": ("memory_gb", "bandwidth_gbps", "parallel")}),
)
ONE_NODE = "Choose one node: each agent has a credential of its own."


@register(Node)
class NodeAdmin(ModelAdmin):
    """Nodes with what the router sees of them now."""

    form = NodeForm
    list_display = ("node", "state", "memory", "resident", "queue", "last_seen")
    list_filter = ("engine", "enrolment", "paused", "draining")
    search_fields = ("name", "url", "note")
    readonly_fields = (*SEEN, "id", "agent", "added_at")
    actions: tuple[str, ...] = ("approve", "pause", "drain", "resume", "new_credential")
    actions_detail: tuple[str, ...] = ("credential_here",)
    fieldsets: ClassVar[Fieldsets] = (
        *DECIDED,
        ("Seen now", {"fields": SEEN}),
        ("Record", {"fields": ("id", "agent", "added_at")}),
    )
    add_fieldsets = DECIDED

    @display(description="node", ordering="name")
    def node(self, node: Node) -> SafeString:
        """Name and address."""
        return format_html('<span class="stack"><b>{}</b><span class="soft">{}</span></span>', node.name, node.url)

    @display(description="state")
    def state(self, node: Node) -> SafeString:
        return cells.state_label(sight(node))

    @display(description="memory")
    def memory(self, node: Node) -> SafeString:
        return cells.memory_bar(sight(node))

    @display(description="in memory")
    def resident(self, node: Node) -> SafeString:
        return cells.model_chips(sight(node))

    @display(description="requests")
    def queue(self, node: Node) -> SafeString:
        return cells.queue_text(sight(node))

    @display(description="last seen")
    def last_seen(self, node: Node) -> str:
        return cells.last_seen(sight(node))

    @display(description="engine")
    def version(self, node: Node) -> str:
        return cells.engine_text(sight(node))

    @display(description="agent's credential")
    def agent(self, node: Node) -> str:
        """How the digest of the agent's credential begins."""
        return f"{node.credential[:8]}…" if node.credential else "no agent"

    @action(description="Approve", permissions=["change"])
    def approve(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Let the router use these nodes."""
        self._act(request, nodes, "approve")

    @action(description="Pause: send nothing, move what waits", permissions=["change"])
    def pause(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Send nothing to these nodes."""
        self._act(request, nodes, "pause")

    @action(description="Drain: finish what runs, take nothing new", permissions=["change"])
    def drain(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Let these nodes finish what runs and send nothing new."""
        self._act(request, nodes, "drain")

    @action(description="Resume: use again", permissions=["change"])
    def resume(self, request: HttpRequest, nodes: "QuerySet[Node]") -> None:
        """Use these nodes again."""
        self._act(request, nodes, "resume")

    @action(description="New credential for the agent …", permissions=["change"])
    def new_credential(self, request: HttpRequest, nodes: "QuerySet[Node]") -> HttpResponse | None:
        """Ask, then show it once."""
        if nodes.count() != 1:
            self.message_user(request, ONE_NODE, "WARNING")
            return None
        node = nodes.get()
        return self._credential(request, node) if chosen(request) else self._ask_credential(request, node)

    @action(description="New credential", url_path="credential", permissions=["change"], icon="key")
    def credential_here(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The question that the action asks, for this node."""
        return self._ask_credential(request, get_object_or_404(Node, pk=object_id))

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

    @transaction.atomic
    def _act(self, request: HttpRequest, nodes: "QuerySet[Node]", name: str) -> None:
        rows = list(nodes)
        roster.act_on([row.id for row in rows], name)
        for row in rows:
            self.note_changes(request, row, roster.ACTIONS[name])
        names = ", ".join(row.name for row in rows)
        self.message_user(request, f"{name.capitalize()}: {names}. In force within two seconds.", "SUCCESS")

    def _ask_credential(self, request: HttpRequest, node: Node) -> HttpResponse:
        text = "The agent's present credential ends to work at once." if node.credential else "It has none so far."
        return choose(
            self,
            request,
            [node],
            action="new_credential",
            title=f"A new credential for the agent of {node.name}",
            text=f"{text} The new one is shown once.",
            submit="Make it",
            choices=[("new", "", "")],
        )

    @transaction.atomic
    def _credential(self, request: HttpRequest, node: Node) -> HttpResponse:
        secret = roster.new_credential(node.id)
        self.note(request, node, f"agent's credential: {'another' if node.credential else 'none'} → a new one")
        text = f"Give it to the agent of {node.name}. It is kept as a digest only and can't be shown again."
        return show_once(self, request, title="The agent's credential", text=text, secret=secret)


@register(EnrolmentToken)
class EnrolmentTokenAdmin(SecretAdmin):
    """Tokens that agents join with: shown once when made, seen by their digests, revoked here."""

    form = TokenForm
    list_display = ("name", "status", "expires_at", "uses_left", "created_at", "digest_prefix")
    fields = ("name", "expires_at", "uses_left", "revoked", "digest_prefix", "created_at")
    add_fieldsets = ((None, {"fields": ("name", "expires_at", "uses_left")}),)
    readonly_fields = ("digest_prefix", "created_at")
    actions = ("revoke",)
    secret_title = "A new enrolment token"
    secret_text = "Give it to the agents that are to join. Only its digest is kept: it can't be shown again."

    @display(description="state")
    def status(self, token: EnrolmentToken) -> SafeString:
        return cells.grant_label(token.revoked, token.expires_at)

    @display(description="digest")
    def digest_prefix(self, token: EnrolmentToken) -> str:
        """How the digest begins; the token itself is not kept."""
        return f"{token.digest[:8]}…"

    @action(description="Revoke", permissions=["change"])
    def revoke(self, request: HttpRequest, tokens: "QuerySet[EnrolmentToken]") -> None:
        """Let nobody in with these any more."""
        in_force = list(tokens.filter(revoked=False))
        for token in in_force:
            self.note_changes(request, token, {"revoked": True})
        tokens.update(revoked=True)
        self.message_user(request, f"{len(in_force)} revoked: nobody joins with them from now on.", "SUCCESS")

    def save_model(self, request: HttpRequest, obj: EnrolmentToken, form: Any, change: bool) -> None:
        """Save; a new token gets its secret, which lives as long as this request."""
        if not change:
            secret = new_secret("fe")
            obj.digest = digest(secret)
            self.made(obj, secret)
        super().save_model(request, obj, form, change)
