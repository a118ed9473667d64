"""The control API's nodes and parameters."""

import os
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import nodes.configs
from fleetsite import overrides
from fleetsite.models import ParameterOverride
from fleetsite.parameters import PARAMETERS, BadParameters, merge
from fleetsite.presenters import node_rows, parameter_row
from nodes import roster
from nodes.core.configs import NodeConfigs
from nodes.fleet.glance import glance
from nodes.lib.live import current
from nodes.lib.page import page
from nodes.lib.strict import Strict
from nodes.lib.times import iso
from nodes.models import Node
from nodes.serializers import NodeForm
from nodes.views import refusals
from routing.core.parameters import QueuePolicy


class Nodes(APIView):
    """`GET nodes`: the nodes of the database, with what the router sees of them now. `POST nodes` adds one."""

    permission = "nodes.add_node"

    def get(self, request: Request) -> Response:
        """Every node, in the order of enrolment."""
        Strict(data=request.query_params.dict()).checked()
        return Response(page(node_rows(nodes.configs.load(), glance(), current(QueuePolicy))))

    def post(self, request: Request) -> Response:
        """The new node, approved at once: what `manage.py node add` does."""
        given = NodeForm(data=request.data).checked()
        numbers = {field: given.get(field) for field in ("memory_gb", "bandwidth_gbps", "parallel")}
        with refusals():
            node = roster.add(given["name"], given["url"], given["engine"], numbers, given.get("note", ""))
        return Response(_row(node), status=201)


class OneNode(APIView):
    """`GET`, `PATCH` and `DELETE nodes/NAME`."""

    permission = {"PATCH": "nodes.change_node", "DELETE": "nodes.delete_node"}

    def get(self, request: Request, name: str) -> Response:
        """One node as the list shows it; 404 names the nodes there are."""
        with refusals():
            return Response(_row(roster.find(name)))

    def patch(self, request: Request, name: str) -> Response:
        """The node after the change of the fields that were given."""
        given = NodeForm(data=request.data, partial=True).checked()
        with refusals():
            return Response(_row(roster.change(name, given)))

    def delete(self, request: Request, name: str) -> Response:
        """Forget the node: what `manage.py node remove` does."""
        with refusals():
            roster.remove(name)
        return Response(status=204)


class Parameters(APIView):
    """`GET` and `PATCH parameters`: what is in force, where it comes from, and a signed change of it."""

    permission = overrides.RIGHT

    def get(self, request: Request) -> Response:
        """Every parameter."""
        Strict(data=request.query_params.dict()).checked()
        return Response(page(parameter_rows()))

    def patch(self, request: Request) -> Response:
        """Override the named parameters (null reverts one), all or none; every parameter as it then is."""
        values, note = _wanted(request.data)
        author = request.user if request.user.is_authenticated else None
        try:
            overrides.change(values, note, author)
        except BadParameters as error:
            raise ValidationError({name: [text] for name, text in error.problems.items()}) from error
        return self.get(request)


@csrf_exempt
def nothing_here(request: HttpRequest) -> JsonResponse:
    """404 for a path that the control API does not have, as it says everything: in JSON."""
    return JsonResponse({"detail": f"There is no {request.path} here; /fleet/api/docs has all there is."}, status=404)


def _row(node: Node) -> dict[str, Any]:
    configs = NodeConfigs((nodes.configs.config_of(node),))
    return node_rows(configs, glance(), current(QueuePolicy))[0]


def parameter_rows() -> list[dict[str, Any]]:
    """Every parameter by the latest rows of the database; servers follow within two seconds."""
    environment = merge(os.environ, {})
    changes = overrides.latest()
    values = merge(os.environ, overrides.in_force(changes))
    return [
        parameter_row(p, values.get(name, p.default), environment.get(name), _change_row(changes.get(name)))
        for name, p in PARAMETERS.items()
    ]


def _change_row(row: ParameterOverride | None) -> dict[str, Any] | None:
    if row is None:
        return None
    author = row.author.get_username() if row.author else None
    return {"value": row.value, "note": row.note, "author": author, "at": iso(row.at.timestamp())}


def _wanted(data: object) -> tuple[dict[str, object], object]:
    """The values and the note of a PATCH; ValidationError if it is not an object with at least one value."""
    if not isinstance(data, dict):
        raise ValidationError({"detail": 'Send a JSON object: {"FLEET_…": value, "note": "why"}.'})
    values = {str(name): value for name, value in data.items() if name != "note"}
    if not values:
        raise ValidationError({"detail": "Nothing to change: name at least one parameter."})
    return values, data.get("note", "")
