"""Anthropic's messages."""

from collections.abc import Mapping
from typing import Any

import orjson

from routing.core.problems import Problem
from routing.protocols import endings, events, tokens
from routing.protocols.base import CHAT, Answer, Ending, Protocol, Reading
from routing.protocols.fields import invalid, metadata_tags, objects, required_model, strings, take

API_ERROR = "api_error"
KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
}


class AnthropicMessages(Protocol):
    """Named events, whole unless told otherwise, errors as `{"type": "error", "error": {"type", "message"}}`."""

    name = "anthropic"
    paths = {"/v1/messages": CHAT}

    def read(self, path: str, content: Mapping[str, Any]) -> Reading:
        model, said = required_model(content), conversation(content)
        tools = objects(content, "tools")
        wanted = {"vision": tokens.has_images(said), "tools": bool(tools)}
        prompt = _prompt_tokens(said, tools)
        return Reading(
            model=model,
            stream=take(content, "stream", bool, False),
            needs=frozenset(need for need, yes in wanted.items() if yes),
            fallbacks=strings(content, "fallback_models"),
            tokens=tokens.demanded(prompt, take(content, "max_tokens", int, 0), 0),
            prompt_tokens=round(prompt),
            session=take(take(content, "metadata", dict, {}), "user_id", str, "") or tokens.opening_words(said),
            tags=metadata_tags(content),
        )

    def counted(self, content: Mapping[str, Any]) -> Answer:
        """The tokens of a prompt, as `/v1/messages/count_tokens` answers: an estimate, never zero."""
        required_model(content)
        estimate = max(1, round(_prompt_tokens(conversation(content), objects(content, "tools"))))
        return Answer(200, orjson.dumps({"input_tokens": estimate}))

    def problem(self, problem: Problem) -> Answer:
        request_id = f"req_{problem.decision}" if problem.decision else None
        said = _error(KINDS.get(problem.status, API_ERROR), problem.message) | {"request_id": request_id}
        headers = problem.headers | ({"Request-Id": request_id} if request_id else {})
        return Answer(problem.status, orjson.dumps(said), headers=headers)

    def broken(self, message: str, tail: bytes) -> bytes:
        return events.error_event(_error(API_ERROR, message), tail)

    def ending(self, path: str, stream: bool, tail: bytes) -> Ending:
        return events.anthropic(tail) if stream else endings.whole(tail, ("input_tokens", "output_tokens"), False)

    def unknown_model(self, path: str, model: str) -> str:
        return f"model '{model}' not found"


def conversation(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages, the system prompt as the first of them; Problem if there is none."""
    messages, system = objects(content, "messages"), take(content, "system", (str, list), "")
    if not messages:
        raise invalid("messages is required")
    return [{"role": "system", "content": system}, *messages] if system else messages


def _prompt_tokens(said: list[dict[str, Any]], tools: list[dict[str, Any]]) -> float:
    return tokens.message_tokens(said) + tokens.value_tokens(tools)


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}
