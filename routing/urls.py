"""Mounted under /fleet/api/v1/."""

from django.urls import path

from routing import alias_views, views

urlpatterns = [
    path("decisions", views.Decisions.as_view(), name="decisions"),
    path("decisions/<str:decision>", views.Decision.as_view(), name="decision"),
    path("queues", views.Queues.as_view(), name="queues"),
    path("latency", views.Latencies.as_view(), name="latency"),
    path("keys", views.Keys.as_view(), name="keys"),
    path("keys/<path:name>/revoke", views.KeyRevocation.as_view(), name="revoke"),
    path("aliases", alias_views.Aliases.as_view(), name="aliases"),
    path("aliases/<path:name>", alias_views.OneAlias.as_view(), name="alias"),
    path("explain", views.Explain.as_view(), name="explain"),
]
