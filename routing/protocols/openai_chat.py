"""OpenAI's chat completions, completions and embeddings."""

from collections.abc import Mapping
from typing import Any

import orjson

from routing.core.problems import Problem
from routing.protocols import endings, openai_errors, tokens
from routing.protocols.base import CHAT, COMPLETION, EMBEDDING, Answer, Ending, Protocol, Reading
from routing.protocols.fields import context, invalid, metadata_tags, objects, required_model, strings, take, tuned


class OpenAIChat(Protocol):
    """SSE, whole unless told otherwise, errors as `{"error": {"message", "type", "param", "code"}}`."""

    name = "openai"
    paths = {"/v1/chat/completions": CHAT, "/v1/completions": COMPLETION, "/v1/embeddings": EMBEDDING}

    def read(self, path: str, content: Mapping[str, Any]) -> Reading:
        kind = self.paths[path]
        messages = _messages(kind, content)
        tools = objects(content, "tools")
        options = take(content, "options", dict, {})
        prompt = _prompt_tokens(kind, content, messages, tools)
        return Reading(
            model=required_model(content),
            stream=take(content, "stream", bool, False) and kind != EMBEDDING,
            needs=_needs(kind, messages, tools),
            fallbacks=strings(content, "fallback_models"),
            tokens=tokens.demanded(prompt, _output(content), context(options)),
            prompt_tokens=round(prompt),
            session=_session(kind, content, messages),
            tags=metadata_tags(content),
            context=context(options),
            tuned=tuned(options),
        )

    def problem(self, problem: Problem) -> Answer:
        return openai_errors.answered(problem)

    def broken(self, message: str, tail: bytes) -> bytes:
        fresh = b"" if not tail or tail.endswith(b"\n\n") else b"\n\n"
        error = openai_errors.fields(message, "api_error", "upstream_failed")
        return fresh + b"data: " + orjson.dumps({"error": error}) + b"\n\n"

    def ending(self, path: str, stream: bool, tail: bytes) -> Ending:
        return endings.openai(tail) if stream else endings.whole(tail, ("prompt_tokens", "completion_tokens"), False)

    def unknown_model(self, path: str, model: str) -> str:
        return f"model '{model}' not found"


def _messages(kind: str, content: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages = objects(content, "messages")
    if kind == CHAT and not messages:
        raise invalid("[] is too short - 'messages'")
    return messages


def _needs(kind: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> frozenset[str]:
    wanted = {"vision": tokens.has_images(messages), "tools": bool(tools), "embedding": kind == EMBEDDING}
    return frozenset(need for need, yes in wanted.items() if yes)


def _prompt_tokens(
    kind: str, content: Mapping[str, Any], messages: list[dict[str, Any]], tools: list[dict[str, Any]]
) -> float:
    if kind == CHAT:
        return tokens.message_tokens(messages) + tokens.value_tokens(tools)
    name = "input" if kind == EMBEDDING else "prompt"
    return tokens.content_tokens(take(content, name, (str, list), ""))


def _output(content: Mapping[str, Any]) -> int:
    named: int = take(content, "max_completion_tokens", int, 0)
    return named or int(take(content, "max_tokens", int, 0))


def _session(kind: str, content: Mapping[str, Any], messages: list[dict[str, Any]]) -> str | None:
    if kind == EMBEDDING:
        return None
    named: str = take(content, "prompt_cache_key", str, "")
    if named:
        return named
    return tokens.opening_words(messages) if kind == CHAT else str(content.get("prompt") or "")
