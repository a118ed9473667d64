"""How the admin looks and what its sidebar offers: django-unfold's settings."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

Item = dict[str, Any]


def _may(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: bool(request.user.has_perm(permission))


def _list(title: str, icon: str, app: str, model: str) -> Item:
    """A list page, for those who may see it."""
    link = reverse_lazy(f"admin:{app}_{model}_changelist")
    return {"title": title, "icon": icon, "link": link, "permission": _may(f"{app}.view_{model}")}


def _group(title: str, *items: Item) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


# Blue as the dashboard's accent, from its lightest to its darkest.
PRIMARY = {
    "50": "#edf2ff",
    "100": "#dbe4ff",
    "200": "#bac8ff",
    "300": "#91a7ff",
    "400": "#748ffc",
    "500": "#5c7cfa",
    "600": "#3b5bdb",
    "700": "#364fc7",
    "800": "#2b3f9e",
    "900": "#213078",
    "950": "#161f4d",
}
FRONT: Item = {"title": "How things stand", "icon": "home", "link": reverse_lazy("admin:index")}
DASHBOARD: Item = {"title": "Live dashboard", "icon": "monitoring", "link": "/fleet/"}
PARAMETERS: Item = {
    "title": "Parameters",
    "icon": "tune",
    "link": reverse_lazy("admin:parameters"),
    "permission": _may("fleetsite.view_parameteroverride"),
}
API: Item = {"title": "API", "icon": "api", "link": reverse_lazy("docs")}

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Fleet",
    "SITE_HEADER": "Fleet",
    "SITE_SUBHEADER": "nodes and routing",
    "SITE_SYMBOL": "hub",
    "SITE_URL": "/fleet/",
    "SHOW_VIEW_ON_SITE": False,
    "COLORS": {"primary": PRIMARY},
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("fleetsite/fleet.svg")}],
    "DASHBOARD_CALLBACK": "fleetsite.front.front",
    "STYLES": [lambda request: static("fleetsite/admin.css")],
    "SCRIPTS": [lambda request: static("fleetsite/admin.js")],
    "SIDEBAR": {
        "navigation": [
            {"items": [FRONT, DASHBOARD]},
            _group(
                "Fleet",
                _list("Nodes", "dns", "nodes", "node"),
                _list("Enrolment tokens", "vpn_key", "nodes", "enrolmenttoken"),
            ),
            _group(
                "Routing",
                _list("Decisions", "route", "routing", "routingdecision"),
                _list("Model aliases", "label", "routing", "modelalias"),
                _list("Latencies", "timer", "routing", "latencyhistory"),
                PARAMETERS,
            ),
            _group(
                "Access",
                _list("API keys", "key", "routing", "apikey"),
                _list("Users", "person", "auth", "user"),
                _list("Groups", "group", "auth", "group"),
                _list("Log of changes", "history", "admin", "logentry"),
                API,
            ),
        ]
    },
}
