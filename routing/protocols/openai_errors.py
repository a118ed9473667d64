"""OpenAI's form of an error, which two dialects share."""

from collections.abc import Mapping

import orjson

from routing.core.problems import Problem
from routing.protocols.base import Answer

KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "invalid_request_error",
    415: "invalid_request_error",
    429: "rate_limit_error",
}


def answered(problem: Problem) -> Answer:
    """The whole answer."""
    error = fields(problem.message, KINDS.get(problem.status, "api_error"), problem.outcome)
    return Answer(problem.status, orjson.dumps({"error": error}), headers=problem.headers)


def fields(message: str, kind: str, code: str) -> dict[str, str | None]:
    """`{"message", "type", "param", "code"}`."""
    return {"message": message, "type": kind, "param": None, "code": code}
