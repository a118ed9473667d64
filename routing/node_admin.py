"""Nodes in the admin, with what the router can have them do: load a model, unload one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from nodes.admin import NodeAdmin
from nodes.core.values import DiskModel, NodeSnapshot, ResidentModel
from nodes.fleet.loop import on_fleet_loop
from nodes.lib.admin import action
from nodes.lib.admin_pages import Choice, choose, chosen
from nodes.models import Node
from nodes.sight import sight
from routing import loading
from routing.loading import PATIENCE, Told, Work, on_each

Rows = Iterable[Node]
NO_ROUTER = Told(False, "no router in this process answers")


class SteeredNodeAdmin(NodeAdmin):
    """Nodes, and what they load."""

    actions = (*NodeAdmin.actions, "prewarm", "unload")
    actions_detail = ("prewarm_here", "unload_here", *NodeAdmin.actions_detail)

    @action(description="Pre-warm a model …", permissions=["change"])
    def prewarm(self, request: HttpRequest, nodes: "QuerySet[Node]") -> HttpResponse | None:
        """Load a model before it is asked for."""
        if not chosen(request):
            return self._ask_load(request, nodes)
        self._each(request, nodes, loading.load)
        return None

    @action(description="Unload a model …", permissions=["change"])
    def unload(self, request: HttpRequest, nodes: "QuerySet[Node]") -> HttpResponse | None:
        """Make room by hand."""
        if not chosen(request):
            return self._ask_unload(request, nodes)
        self._each(request, nodes, loading.unload)
        return None

    @action(description="Pre-warm a model", url_path="prewarm", permissions=["change"], icon="local_fire_department")
    def prewarm_here(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The question that the action asks, for this node."""
        return self._ask_load(request, Node.objects.filter(pk=object_id))

    @action(description="Unload a model", url_path="unload", permissions=["change"], icon="mode_cool")
    def unload_here(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The question that the action asks, for this node."""
        return self._ask_unload(request, Node.objects.filter(pk=object_id))

    def _ask_load(self, request: HttpRequest, rows: Rows) -> HttpResponse:
        return choose(
            self,
            request,
            rows,
            action="prewarm",
            title=f"Pre-warm a model on {_names(rows)}",
            text="It is loaded now, on each of these nodes that has it on disk, so that the next request finds it.",
            submit="Pre-warm",
            choices=_choices(rows, lambda node: {n: m for n, m in node.on_disk.items() if n not in node.resident}),
            nothing="No model is on these disks that is not in memory already, or the router does not see the nodes.",
        )

    def _ask_unload(self, request: HttpRequest, rows: Rows) -> HttpResponse:
        return choose(
            self,
            request,
            rows,
            action="unload",
            title=f"Unload a model from {_names(rows)}",
            text="What runs ends first. The next request for it loads it anew.",
            submit="Unload",
            choices=_choices(rows, lambda node: node.resident),
            nothing="No model is in the memory of these nodes, or the router does not see them.",
        )

    def _each(self, request: HttpRequest, rows: Rows, work: Work) -> None:
        """Do it on each node that has the model, and say what came of it."""
        model = chosen(request)
        able = [row for row in rows if (seen := sight(row)) and seen.node.has(model)]
        for row, told in zip(able, _told(work, able, model), strict=True):
            self.note(request, row, f"{work.__name__} {model}: {told.words}")
            self.message_user(request, f"{model} on {row.name}: {told.words}.", "SUCCESS" if told.well else "ERROR")
        if not able:
            self.message_user(request, f"None of these nodes has {model} now.", "WARNING")


def _told(work: Work, rows: Sequence[Node], model: str) -> list[Told]:
    try:
        return on_fleet_loop(on_each(work, [row.id for row in rows], model), PATIENCE + 2)
    except (RuntimeError, TimeoutError):
        return [NO_ROUTER] * len(rows)


def _choices(
    rows: Rows, models: Callable[[NodeSnapshot], Mapping[str, DiskModel] | Mapping[str, ResidentModel]]
) -> list[Choice]:
    """Each model of any of the nodes, its size, and where it is."""
    where: dict[str, list[str]] = defaultdict(list)
    size: dict[str, float] = {}
    for row in rows:
        seen = sight(row)
        for name, model in models(seen.node).items() if seen else ():
            where[name].append(row.name)
            size[name] = model.size_gb or size.get(name, 0.0)
    return [(name, name, _where(size[name], where[name])) for name in sorted(where)]


def _where(size_gb: float, names: Iterable[str]) -> str:
    return " · ".join(filter(None, (f"{size_gb:.1f} GB" if size_gb else "", "on " + ", ".join(names))))


def _names(rows: Rows) -> str:
    return ", ".join(row.name for row in rows) or "no node"
