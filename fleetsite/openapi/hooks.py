"""What drf-spectacular calls while it makes the schema: our tables go in here."""

import re
from importlib import import_module
from typing import Any

from fleetsite.openapi.auth import SCHEMES
from fleetsite.openapi.dataplane import ENDPOINTS, JSON, Endpoint
from fleetsite.openapi.errors import OF_TAG, SCHEMAS, control_errors, error

Json = dict[str, Any]
TEXT_HEADER = {"schema": {"type": "string"}}
ANSWERED = {
    "X-Fleet-Decision": "The id under which the reasons are kept.",
    "X-Fleet-Node": "Who answered.",
    "X-Fleet-Score": "Its score.",
    "X-Fleet-Served-Model": "The model that answered.",
    "X-Fleet-Fallback": "true if that is not the first that was asked for.",
    "X-Fleet-Retries": "Further tries before the first byte.",
    "X-Fleet-Affinity": "matched: the node that still holds this conversation's cache; else new.",
    "X-Fleet-Context-Overflow": "true if the request is larger than the loaded context.",
    "X-Fleet-Context-Reload": "true if the model is loaded again for the num_ctx that was asked for.",
    "X-Fleet-Queue-Wait-Ms": "Held and queued, in milliseconds.",
    "X-Fleet-Translated": "The engine's path, if it lacks the one that was called and the request was translated.",
    "X-Fleet-Dropped": "Fields of the body that the engine could not be told, comma-separated.",
}
TOLD = {
    "X-Fleet-Session": "A conversation's own mark: it goes where its last turn went.",
    "X-Fleet-Tags": "Tags, comma-separated, that the decision keeps.",
}


def described(endpoints: list[Any]) -> list[Any]:
    """The same endpoints, their views described."""
    import_module("fleetsite.openapi.operations")
    return endpoints


def completed(result: Json, generator: Any, request: Any, public: bool) -> Json:
    """The schema with the control API's errors and the endpoints that Django does not see."""
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            _complete(path, method, operation)
    for endpoint in ENDPOINTS:
        result["paths"].setdefault(endpoint.path, {})[endpoint.method] = operation_of(endpoint)
    components = result.setdefault("components", {})
    components.setdefault("schemas", {}).update(SCHEMAS)
    components.setdefault("securitySchemes", {}).update(SCHEMES)
    return result


def operation_of(endpoint: Endpoint) -> Json:
    """One row of the table as OpenAPI has it."""
    operation: Json = {
        "operationId": f"{endpoint.method}_{endpoint.path.strip('/').replace('/', '_') or 'root'}".translate(PLAIN),
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "security": endpoint.security,
        "responses": {"200": _answer(endpoint)}
        | {str(status): error(status, OF_TAG[endpoint.tag]) for status in endpoint.errors},
    }
    parameters = _parameters(endpoint)
    return operation | ({"parameters": parameters} if parameters else {}) | _body(endpoint)


PLAIN = str.maketrans("", "", "{}")


def _complete(path: str, method: str, operation: Json) -> None:
    operation["responses"] |= control_errors(path, method, operation)
    if method == "get" or path.endswith("/explain"):
        operation["security"] = [*operation.get("security", []), {}]  # reads are open to the router's own machine


def _answer(endpoint: Endpoint) -> Json:
    content = {media: _example(value) for media, value in endpoint.answers.items()}
    answer: Json = {"description": "As the engine answers." if endpoint.inference else "OK", "content": content}
    return answer | ({"headers": _headers(ANSWERED)} if endpoint.inference else {})


def _example(value: object) -> Json:
    return {"schema": {"type": "string" if isinstance(value, str) else "object"}, "example": value}


def _headers(words: dict[str, str]) -> Json:
    return {name: TEXT_HEADER | {"description": text} for name, text in words.items()}


def _parameters(endpoint: Endpoint) -> list[Json]:
    headers = _headers(TOLD) if endpoint.inference else {}
    given = [{"name": name, "in": "header"} | header for name, header in headers.items()]
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", endpoint.path)
    ]
    in_query = [
        {"name": name, "in": "query", "schema": {"type": "string"}, "description": text}
        for name, text in endpoint.query.items()
    ]
    return [*given, *in_path, *in_query]


def _body(endpoint: Endpoint) -> Json:
    if endpoint.request is None:
        return {}
    schema = {
        "type": "object",
        "required": list(endpoint.required),
        "properties": dict(endpoint.wants),
        "additionalProperties": True,
    }
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema, "example": endpoint.request}}}}
