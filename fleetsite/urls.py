"""What Django answers: the admin and the control API."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("fleet/api/v1/", include("fleetsite.api_urls")),
]
