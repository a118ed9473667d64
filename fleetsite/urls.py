"""What Django answers: the admin and the control API."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("fleet/", RedirectView.as_view(pattern_name="admin:index")),  # where a browser that opens the router lands
    path("fleet/api/v1/", include("fleetsite.api_urls")),
]
