"""The control API of routing: what was decided, what waits, what would be decided."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import APIException, NotFound
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from nodes.core.values import FleetSnapshot
from nodes.fleet import get_fleet
from nodes.fleet.loop import on_fleet_loop
from nodes.lib.live import current
from routing import decisions, presenters
from routing.core.explain import explain
from routing.core.parameters import QueuePolicy
from routing.journal import journal
from routing.serializers import DecisionQuery

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
        return Response({"results": [presenters.decision(row) for row in rows], "next": following})


class Decision(APIView):
    """One decision, while its request runs and ever after."""

    def get(self, request: Request, decision: str) -> Response:
        live = journal.find(decision)
        row = live.row() if live else decisions.one(decision)
        if row is None:
            raise NotFound(f"There is no decision {decision}; old ones are deleted.")
        return Response(presenters.decision(row))


class Queues(APIView):
    """What runs and waits, by node and model."""

    def get(self, request: Request) -> Response:
        return Response({"results": presenters.queues(_fleet(), current(QueuePolicy)), "next": None})


class Latencies(APIView):
    """How long each model takes on each node."""

    def get(self, request: Request) -> Response:
        return Response({"results": presenters.latencies(_fleet()), "next": None})


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
    if len(journal.notebook):
        try:
            on_fleet_loop(journal.flush(), FLUSH_SECONDS)
        except (RuntimeError, TimeoutError):
            return
