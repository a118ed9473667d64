"""What Django answers: the admin, the control API, the dashboards."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils.module_loading import import_string

from fleetsite import parameters_page
from fleetsite.views import nothing_here


def lazily(name: str) -> Callable[..., Any]:
    """A view that is loaded when it is first asked for: the schema's makers need 7 MB that few servers ever use."""

    def view(request: HttpRequest, **given: Any) -> Any:
        return import_string(name)(request, **given)

    return view


urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", ([*parameters_page.urls(), *admin.site.get_urls()], "admin", admin.site.name)),
    path("fleet/api/v1/", include("fleetsite.api_urls")),
    re_path("^fleet/api/v1/", nothing_here),
    path("fleet/api/schema", lazily("fleetsite.openapi.views.schema"), name="schema"),
    path("fleet/api/docs", lazily("fleetsite.openapi.views.docs"), name="docs"),
    path("fleet/", include("fleetsite.dashboards.urls")),  # where a browser that opens the router lands
]
