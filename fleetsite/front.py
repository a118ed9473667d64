"""The admin's first page: how things stand, and what people changed last."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.admin.models import LogEntry
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from fleetsite import overrides
from nodes.core.liveness import state
from nodes.fleet.glance import glance
from nodes.models import Node
from routing.decision_list import MOST
from routing.models import ApiKey, RoutingDecision

CHANGES_SHOWN = 8
GOOD = ("completed", None)  # None: it still runs


class Tile(NamedTuple):
    """One figure, what is soft beside it, and the page behind it."""

    title: str
    figure: str
    soft: str
    link: str


def front(request: HttpRequest, context: Mapping[str, Any]) -> dict[str, Any]:
    """The context of the first page, with what this user may see."""
    tiles = [make() for permission, make in TILES.items() if request.user.has_perm(permission)]
    changes = LogEntry.objects.select_related("user", "content_type")[:CHANGES_SHOWN]
    return {
        **context,
        "title": "How things stand",
        "tiles": tiles,
        "changes": list(changes) if request.user.has_perm("admin.view_logentry") else [],
    }


def nodes() -> Tile:
    """How many are online, and how the others are."""
    fleet = glance()
    seen = Counter(state(node) for node in fleet.nodes) if fleet else Counter()
    online = seen.pop("online", 0)
    others = ", ".join(f"{count} {word}" for word, count in seen.items())
    soft = others or ("all online" if online else "none yet: add one")
    return Tile("Nodes", f"{online} of {Node.objects.count()}", soft, reverse("admin:nodes_node_changelist"))


def requests() -> Tile:
    """How many run and wait now."""
    fleet = glance()
    depths = fleet.queues.values() if fleet else ()
    running, waiting = sum(d.in_flight for d in depths), sum(d.pending for d in depths)
    soft = f"running · {waiting} waiting · {fleet.held if fleet else 0} held"
    return Tile("Requests", str(running), soft, "/fleet/")


def decisions() -> Tile:
    """How many there were in the last hour, and how many of those came out badly."""
    hour = RoutingDecision.objects.filter(at__gte=timezone.now() - timedelta(hours=1)).order_by()
    outcomes = Counter(hour.values_list("outcome", flat=True)[:MOST])
    bad = sum(count for outcome, count in outcomes.items() if outcome not in GOOD)
    total = outcomes.total()
    link = reverse("admin:routing_routingdecision_changelist") + "?period=60"
    return Tile("Decisions", f"{total}{'+' if total == MOST else ''}", f"last hour · {bad} not completed", link)


def api_keys() -> Tile:
    """How many open something."""
    count = ApiKey.objects.filter(revoked_at=None).exclude(expires_at__lte=timezone.now()).count()
    return Tile("API keys", str(count), "in force", reverse("admin:routing_apikey_changelist"))


def parameters() -> Tile:
    """How many are overridden."""
    count = len(overrides.in_force(overrides.latest()))
    return Tile("Parameters", str(count), "overridden", reverse("admin:parameters"))


TILES: Mapping[str, Callable[[], Tile]] = {
    "nodes.view_node": nodes,
    "routing.view_routingdecision": decisions,
    "routing.view_latencyhistory": requests,
    "routing.view_apikey": api_keys,
    "fleetsite.view_parameteroverride": parameters,
}
