"""The control API's operations as the schema describes them: one table, put on the views when this is first loaded."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework.views import APIView

from fleetsite import views as fleet
from fleetsite.openapi import answers, examples
from fleetsite.openapi.fields import page_of
from nodes.roster import ACTIONS
from nodes.serializers import NodeForm
from nodes.views import NodeAction
from routing import alias_views
from routing import views as routing
from routing.serializers import AliasForm, DecisionQuery, KeyForm, Moment, PlaceField, QueueQuery

OBJECT = {"type": "object", "additionalProperties": True}
CASES: dict[str, object] = {"oneOf": [OBJECT, {"type": "array", "items": OBJECT}]}
ELSEWHERE = OpenApiResponse(examples.DETAIL, "No router runs in the process that was asked.")
Described = Mapping[str, Any]


def says(name: str, summary: str, answer: Any, status: int = 200, **more: Any) -> Any:
    """One operation: its id, what it does, and what it answers when all is well."""
    also = more.pop("also", {})
    return extend_schema(
        operation_id=name, summary=summary, responses={status: answer, **also}, tags=["Control"], **more
    )


def example(name: str, value: object, answer: bool = False, status: int = 200) -> OpenApiExample:
    """One example, of the request or of the answer."""
    codes = [str(status)] if answer else None
    return OpenApiExample(name, value, request_only=not answer, response_only=answer, status_codes=codes)


def asked(request: Any, *given: OpenApiExample) -> Described:
    """A body, with its examples."""
    return {"request": {"application/json": request}, "examples": list(given)}


OPERATIONS: Mapping[type[APIView], Described] = {
    fleet.Nodes: {
        "get": says("list_nodes", "All nodes, with what the router sees of them now", page_of(answers.NodeRow)),
        "post": says(
            "add_node",
            "Add a node, approved at once",
            answers.NodeRow,
            201,
            **asked(NodeForm, example("a node", examples.NODE)),
        ),
    },
    fleet.OneNode: {
        "get": says("node", "One node", answers.NodeRow),
        "patch": says(
            "change_node",
            "Change a node",
            answers.NodeRow,
            **asked(NodeForm(partial=True), example("a change", {"parallel": 4})),
        ),
        "delete": says("remove_node", "Remove a node", OpenApiResponse(description="It is forgotten."), 204),
    },
    NodeAction: {
        "post": says(
            "act_on_node",
            "Approve, pause, resume or drain a node",
            answers.ActedOn,
            request=None,
            parameters=[OpenApiParameter("action", str, OpenApiParameter.PATH, enum=list(ACTIONS))],
        )
    },
    fleet.Parameters: {
        "get": says("list_parameters", "All parameters, each with its sources", page_of(answers.ParameterRow)),
        "patch": says(
            "change_parameters",
            "Override parameters, all or none; null reverts one",
            page_of(answers.ParameterRow),
            **asked(examples.CHANGE_FORM, example("a change", examples.CHANGE)),
        ),
    },
    routing.Decisions: {
        "get": says(
            "list_decisions",
            "Decisions, newest first",
            page_of(answers.DecisionRow),
            parameters=[DecisionQuery],
        )
    },
    routing.Decision: {
        "get": says("decision", "One decision, while its request runs and ever after", answers.DecisionRow)
    },
    routing.Queues: {
        "get": says(
            "list_queues",
            "What runs and waits",
            page_of(answers.Queue),
            parameters=[QueueQuery],
            also={503: ELSEWHERE},
        )
    },
    routing.Latencies: {
        "get": says(
            "list_latencies",
            "How long each model takes on each node",
            page_of(answers.Latency),
            parameters=[QueueQuery],
            also={503: ELSEWHERE},
        )
    },
    routing.Keys: {
        "get": says("list_keys", "All API keys, never their secrets", page_of(answers.ApiKeyRow)),
        "post": says(
            "create_key",
            "Make an API key; it is shown this once",
            answers.NewApiKey,
            201,
            **asked(KeyForm, example("a key", examples.KEY)),
        ),
    },
    routing.KeyRevocation: {"post": says("revoke_key", "Revoke an API key", answers.ApiKeyRow, request=None)},
    alias_views.Aliases: {
        "get": says("list_aliases", "Names that stand for models", page_of(answers.AliasRow)),
        "post": says(
            "create_alias",
            "Let a name stand for a model",
            answers.AliasRow,
            201,
            **asked(AliasForm, example("an alias", examples.ALIAS)),
        ),
    },
    alias_views.OneAlias: {
        "get": says("alias", "One alias", answers.AliasRow),
        "patch": says(
            "change_alias",
            "Change an alias",
            answers.AliasRow,
            **asked(AliasForm(partial=True), example("a change", {"target": "qwen2.5:7b"})),
        ),
        "delete": says("remove_alias", "Remove an alias", OpenApiResponse(description="It stands for nothing."), 204),
    },
    routing.Explain: {
        "post": says(
            "explain",
            "Where a request would go, in a fleet that you describe",
            answers.Explanation,
            **asked(
                CASES,
                example("a case", examples.CASE),
                example("its ranking", examples.EXPLANATION, answer=True),
            ),
        )
    },
}

extend_schema_field({"type": "string", "example": "2026-11-30T12:00:00Z"})(Moment)
extend_schema_field({"type": "string", "description": "Where the page before ended: taken from its `next`."})(
    PlaceField
)
for view, methods in OPERATIONS.items():
    extend_schema_view(**methods)(view)
