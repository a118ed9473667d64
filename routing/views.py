"""The control API of routing: what was decided, what waits, what would be decided."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from nodes.core.values import FleetSnapshot
from nodes.fleet import get_fleet
from nodes.fleet.loop import on_fleet_loop
from nodes.lib.digest import digest
from nodes.lib.live import current
from nodes.lib.page import page
from nodes.lib.strict import Strict
from routing import decisions, keys, presenters
from routing.core.explain import explain
from routing.core.parameters import QueuePolicy
from routing.journal import journal
from routing.models import ApiKey
from routing.notebook import notebook
from routing.serializers import DecisionQuery, KeyForm, QueueQuery

FLUSH_SECONDS = 2.0


class NoRouter(APIException):
    """Asked of a process that routes nothing."""

    status_code = 503
    default_detail = "No router runs in this process: ask the one that `manage.py serve` started."


class Decisions(APIView):
    """Decisions, newest first."""

    def get(self, request: Request) -> Response:
        wanted = DecisionQuery(data=request.query_params.dict()).wanted()
        _write_what_is_noted()
        rows, last = decisions.page(wanted)
        following = replace_query_param(request.build_absolute_uri(), "before", str(last)) if last else None
        return Response(page([presenters.decision(row) for row in rows], following))


class Decision(APIView):
    """One decision, while its request runs and ever after."""

    def get(self, request: Request, decision: str) -> Response:
        live = notebook.find(decision)
        row = live.row() if live else decisions.one(decision)
        if row is None:
            raise NotFound(f"There is no decision {decision}; old ones are deleted.")
        return Response(presenters.decision(row))


class Queues(APIView):
    """What runs and waits, by node and model."""

    def get(self, request: Request) -> Response:
        wanted = QueueQuery(data=request.query_params.dict())
        return Response(page(wanted.matching(presenters.queues(_fleet(), current(QueuePolicy)))))


class Latencies(APIView):
    """How long each model takes on each node."""

    def get(self, request: Request) -> Response:
        wanted = QueueQuery(data=request.query_params.dict())
        return Response(page(wanted.matching(presenters.latencies(_fleet()))))


class Keys(APIView):
    """API keys: who may use the data plane from elsewhere."""

    permission = "routing.add_apikey"

    def get(self, request: Request) -> Response:
        Strict(data=request.query_params.dict()).checked()
        return Response(page([presenters.api_key(row) for row in ApiKey.objects.all()]))

    def post(self, request: Request) -> Response:
        """The new key with its secret, which is shown this once."""
        try:
            secret = KeyForm(data=request.data).create_key()
        except keys.KeyProblem as problem:
            raise ValidationError({"detail": str(problem)}) from problem
        row = ApiKey.objects.get(digest=digest(secret))
        return Response(presenters.api_key(row) | {"key": secret}, status=201)


class KeyRevocation(APIView):
    """`POST keys/NAME/revoke`: what `manage.py key revoke NAME` does."""

    permission = "routing.change_apikey"

    def post(self, request: Request, name: str) -> Response:
        """The key, which opens nothing from now on; 404 names the keys in force."""
        try:
            keys.revoke(name)
        except keys.NoSuchKey as unknown:
            raise NotFound(str(unknown)) from unknown
        except keys.KeyProblem as problem:
            raise ValidationError({"detail": str(problem)}) from problem
        return Response(presenters.api_key(ApiKey.objects.get(name=name.strip())))


class Explain(APIView):
    """Where a request would go, in a case that the caller describes: it changes nothing."""

    reads = (*SAFE_METHODS, "POST")  # it is asked, not told

    def post(self, request: Request) -> Response:
        if isinstance(request.data, list):
            return Response([_explained(case) for case in request.data])
        answer = _explained(request.data)
        return Response(answer, status=400 if "error" in answer else 200)


def _explained(case: Any) -> dict[str, Any]:
    return explain(case) if isinstance(case, Mapping) else {"error": "A case is a JSON object."}


def _fleet() -> FleetSnapshot:
    try:
        return get_fleet().snapshot()
    except RuntimeError as error:
        raise NoRouter from error


def _write_what_is_noted() -> None:
    """Who asks for decisions sees each request that was routed before."""
    if len(notebook):
        try:
            on_fleet_loop(journal.flush(), FLUSH_SECONDS)
        except (RuntimeError, TimeoutError):
            return
