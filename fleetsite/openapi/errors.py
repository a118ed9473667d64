"""What can go wrong, as the schema says it: a sentence for each status, a form for each dialect."""

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
STRING = {"type": "string"}

MEANINGS: Mapping[int, str] = {
    400: "A body, field or filter that is not taken; the answer says which and why.",
    401: "Who asks did not say who they are, and must from there.",
    403: "Not allowed: the right, the model, the page or the name of this server.",
    404: "There is no such thing; the answer names what there is.",
    413: "The body is too large (`FLEET_MAX_BODY_MB`).",
    415: "The body comes in an encoding that is not read; the answer names those that are.",
    429: "The API key is at its limit; `Retry-After` says when it is not.",
    502: "An engine was tried and failed, and so did the next best.",
    503: "No node could take it in time; `Retry-After` says when to try again.",
    504: "A clock ran out at the engine.",
    508: "The request came from this router itself: a node of the fleet leads back to it.",
}
OLLAMA: Json = {"type": "object", "required": ["error"], "properties": {"error": STRING}}
OPENAI: Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": STRING,
                "type": STRING,
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
ANTHROPIC: Json = {
    "type": "object",
    "required": ["type", "error", "request_id"],
    "properties": {
        "type": {"const": "error"},
        "error": {"type": "object", "required": ["type", "message"], "properties": {"type": STRING, "message": STRING}},
        "request_id": {"type": ["string", "null"], "description": "`req_` and the id of the decision."},
    },
}
CONTROL: Json = {"type": "object", "required": ["detail"], "properties": {"detail": STRING}}
PROBLEMS: Json = {
    "type": "object",
    "description": "By field, the reasons; `detail` or `error` for the whole.",
    "additionalProperties": {"oneOf": [STRING, {"type": "array", "items": STRING}]},
}
SCHEMAS: Mapping[str, Json] = {
    "OllamaError": OLLAMA,
    "OpenAIError": OPENAI,
    "AnthropicError": ANTHROPIC,
    "ControlError": CONTROL,
    "ControlProblems": PROBLEMS,
}
OF_TAG: Mapping[str, str] = {
    "Ollama": "OllamaError",
    "OpenAI": "OpenAIError",
    "Anthropic": "AnthropicError",
    "Models": "OllamaError",
    "Agents": "OllamaError",
}
LATER = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}


def error(status: int, schema: str) -> Json:
    """One error's response."""
    answer: Json = {
        "description": MEANINGS[status],
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }
    return answer | ({"headers": LATER} if status in (429, 503) and schema in OF_TAG.values() else {})


# Which errors an operation of the control API has, by what it is: (status, schema, has it?).
RULES: tuple[tuple[int, str, Callable[[str, str, Json], bool]], ...] = (
    (400, "ControlProblems", lambda path, method, said: "requestBody" in said or (method == "get" and "{" not in path)),
    (401, "ControlError", lambda path, method, said: True),
    (403, "ControlError", lambda path, method, said: method != "get"),
    (404, "ControlError", lambda path, method, said: "{" in path),
)


def control_errors(path: str, method: str, operation: Json) -> Json:
    """The errors of one operation of the control API, by status."""
    return {str(status): error(status, schema) for status, schema, has in RULES if has(path, method, operation)}
