"""What Django answers: the admin, the control API, the dashboards."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("fleet/api/v1/", include("fleetsite.api_urls")),
    path("fleet/", include("fleetsite.dashboards.urls")),  # where a browser that opens the router lands
]
