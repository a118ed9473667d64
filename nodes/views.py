"""Writes on nodes: approve, pause, resume, drain."""

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from nodes import roster


class NodeAction(APIView):
    """`POST nodes/NAME/ACTION`: what `manage.py node ACTION NAME` does."""

    permission = "nodes.change_node"

    def post(self, request: Request, name: str, action: str) -> Response:
        """The node's decisions after the action; 404 names the nodes there are."""
        try:
            node = roster.act(name, action)
        except roster.RosterError as error:
            raise NotFound(str(error)) from error
        shown = ("id", "name", "url", "enrolment", "paused", "draining")
        return Response({field: getattr(node, field) for field in shown})
