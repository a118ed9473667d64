"""Mounted under /fleet/: the pages, and the WebSockets that keep them live."""

from django.urls import path

from fleetsite.dashboards import views
from fleetsite.dashboards.consumers import LiveFleet

urlpatterns = [path("", views.fleet, name="fleet")]
sockets = [path("fleet/live", LiveFleet.as_asgi())]
