"""The control API's nodes and parameters."""

import os
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import nodes.configs
from fleetsite import overrides
from fleetsite.models import ParameterOverride
from fleetsite.parameters import PARAMETERS, BadParameters, merge
from fleetsite.presenters import node_rows, page, parameter_row
from nodes.fleet.glance import glance
from nodes.lib.live import current
from nodes.lib.times import iso
from routing.core.parameters import QueuePolicy


class Nodes(APIView):
    """`GET nodes`: the nodes of the database, with what the router sees of them now."""

    def get(self, request: Request) -> Response:
        """Every node, in the order of enrolment."""
        return Response(page(node_rows(nodes.configs.load(), glance(), current(QueuePolicy))))


class Parameters(APIView):
    """`GET` and `PATCH parameters`: what is in force, where it comes from, and a signed change of it."""

    permission = "fleetsite.add_parameteroverride"

    def get(self, request: Request) -> Response:
        """Every parameter."""
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


def _wanted(data: object) -> tuple[dict[str, object], str]:
    """The values and the note of a PATCH; ValidationError if it is not an object with at least one value."""
    if not isinstance(data, dict):
        raise ValidationError({"detail": 'Send a JSON object: {"FLEET_…": value, "note": "why"}.'})
    note = data.get("note", "")
    if not isinstance(note, str) or len(note) > 255:
        raise ValidationError({"note": ["The note is a text of at most 255 characters."]})
    values = {str(name): value for name, value in data.items() if name != "note"}
    if not values:
        raise ValidationError({"detail": "Nothing to change: name at least one parameter."})
    return values, note
