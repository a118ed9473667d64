"""The control API of aliases."""

from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from nodes.lib.page import page
from nodes.lib.strict import Strict
from routing import aliases, presenters
from routing.models import ModelAlias
from routing.serializers import AliasForm


@contextmanager
def refusals() -> Iterator[None]:
    """What the block refuses, as the API says it: 404 or 400."""
    try:
        yield
    except aliases.NoSuchAlias as unknown:
        raise NotFound(str(unknown)) from unknown
    except aliases.AliasProblem as problem:
        raise ValidationError({"detail": str(problem)}) from problem


class Aliases(APIView):
    """`GET aliases`: every alias. `POST aliases` makes one."""

    permission = "routing.add_modelalias"

    def get(self, request: Request) -> Response:
        """By name."""
        Strict(data=request.query_params.dict()).checked()
        return Response(page([presenters.alias(row) for row in ModelAlias.objects.all()]))

    def post(self, request: Request) -> Response:
        """The new alias; servers follow within two seconds."""
        given = AliasForm(data=request.data).checked()
        with refusals():
            return Response(presenters.alias(aliases.save(ModelAlias(**given))), status=201)


class OneAlias(APIView):
    """`GET`, `PATCH` and `DELETE aliases/NAME`."""

    permission = {"PATCH": "routing.change_modelalias", "DELETE": "routing.delete_modelalias"}

    def get(self, request: Request, name: str) -> Response:
        """One alias; 404 names those there are."""
        with refusals():
            return Response(presenters.alias(aliases.find(name)))

    def patch(self, request: Request, name: str) -> Response:
        """The alias after the change of the fields that were given."""
        given = AliasForm(data=request.data, partial=True).checked()
        with refusals():
            return Response(presenters.alias(aliases.change(name, given)))

    def delete(self, request: Request, name: str) -> Response:
        """From now on the name stands for nothing."""
        with refusals():
            aliases.remove([aliases.find(name)])
        return Response(status=204)
