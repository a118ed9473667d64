"""Writes on nodes: approve, pause, resume, drain."""

from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from nodes import roster


class NodeAction(APIView):
    """`POST nodes/NAME/ACTION`: what `manage.py node ACTION NAME` does."""

    permission = "nodes.change_node"

    def post(self, request: Request, name: str, action: str) -> Response:
        """The node's decisions after the action; 404 names the nodes there are."""
        with refusals():
            node = roster.act(name, action)
        shown = ("id", "name", "url", "enrolment", "paused", "draining")
        return Response({field: getattr(node, field) for field in shown})


@contextmanager
def refusals() -> Iterator[None]:
    """What the roster refuses, as the API says it: 404 for a node that there is not, else 400."""
    try:
        yield
    except roster.NoSuchNode as unknown:
        raise NotFound(str(unknown)) from unknown
    except roster.RosterError as error:
        raise ValidationError({"detail": str(error)}) from error
