"""Everything under `/fleet/api/v1/`."""

from django.urls import include, path

from fleetsite.views import Nodes, OneNode, Parameters

urlpatterns = [
    path("nodes", Nodes.as_view()),
    path("nodes/<str:name>", OneNode.as_view()),
    path("parameters", Parameters.as_view()),
    path("", include("nodes.urls")),
    path("", include("routing.urls")),
]
