"""Ollama's own API: `/api/chat`, `/api/generate`, `/api/embed`, `/api/embeddings`."""

from collections.abc import Mapping
from typing import Any

import orjson

from routing.core.problems import Problem
from routing.protocols import endings, tokens
from routing.protocols.base import CHAT, COMPLETION, EMBEDDING, Answer, Ending, Protocol, Reading
from routing.protocols.fields import context, invalid, metadata_tags, objects, strings, take, tuned

# Ollama's answer to a body without a model differs by path (peers: D7).
MISSING_MODEL = {"/api/generate": (404, "model '' not found"), "/api/embed": (404, "model '' not found")}
NOT_FOUND = {EMBEDDING: 'model "{}" not found, try pulling it first'}


class OllamaNative(Protocol):
    """NDJSON, streamed unless told otherwise, errors as `{"error": "…"}`."""

    name = "ollama"
    paths = {
        "/api/chat": CHAT,
        "/api/generate": COMPLETION,
        "/api/embed": EMBEDDING,
        "/api/embeddings": EMBEDDING,
    }

    def read(self, path: str, content: Mapping[str, Any]) -> Reading:
        kind = self.paths[path]
        options = take(content, "options", dict, {})
        messages = objects(content, "messages")
        prompt = _prompt_tokens(kind, content, messages)
        return Reading(
            model=self._model(path, content),
            stream=take(content, "stream", bool, True) and kind != EMBEDDING,
            needs=_needs(kind, content, messages),
            fallbacks=strings(content, "fallback_models"),
            tokens=tokens.demanded(prompt, _whole(options, "num_predict"), context(options)),
            prompt_tokens=round(prompt),
            session=_opening(kind, content, messages),
            tags=metadata_tags(content),
            context=context(options),
            tuned=tuned(options),
        )

    def problem(self, problem: Problem) -> Answer:
        if problem.status == 405:
            return Answer(405, b"405 method not allowed", b"text/plain", problem.headers)
        body = orjson.dumps({"error": problem.message})
        return Answer(problem.status, body, b"application/json; charset=utf-8", problem.headers)

    def broken(self, message: str, tail: bytes) -> bytes:
        fresh = b"" if not tail or tail.endswith(b"\n") else b"\n"
        return fresh + orjson.dumps({"error": message}) + b"\n"

    def ending(self, path: str, stream: bool, tail: bytes) -> Ending:
        if stream:
            return endings.ollama(tail)
        return endings.whole(tail, ("prompt_eval_count", "eval_count"), self.paths[path] != EMBEDDING)

    def unknown_model(self, path: str, model: str) -> str:
        return NOT_FOUND.get(self.paths.get(path, CHAT), "model '{}' not found").format(model)

    def _model(self, path: str, content: Mapping[str, Any]) -> str:
        model: str = take(content, "model", str, "").strip()
        if not model:
            status, words = MISSING_MODEL.get(path, (400, "model is required"))
            raise invalid(words) if status == 400 else Problem("unknown_model", status, words)
        return model


def _prompt_tokens(kind: str, content: Mapping[str, Any], messages: list[dict[str, Any]]) -> float:
    if kind == CHAT:
        return tokens.message_tokens(messages) + tokens.value_tokens(objects(content, "tools"))
    if kind == EMBEDDING:
        texts = take(content, "input", (str, list), "") or take(content, "prompt", str, "")
        return tokens.content_tokens(texts)
    images = len(take(content, "images", list, [])) * tokens.TOKENS_PER_IMAGE
    words = (take(content, name, str, "") for name in ("system", "prompt", "suffix"))
    return sum(tokens.text_tokens(w) for w in words) + tokens.TOKENS_PER_MESSAGE + tokens.TOKENS_PER_CHAT + images


def _needs(kind: str, content: Mapping[str, Any], messages: list[dict[str, Any]]) -> frozenset[str]:
    images = tokens.has_images(messages) or bool(take(content, "images", list, []))
    wanted = {
        "vision": images,
        "tools": bool(objects(content, "tools")),
        "embedding": kind == EMBEDDING,
    }
    return frozenset(need for need, yes in wanted.items() if yes)


def _opening(kind: str, content: Mapping[str, Any], messages: list[dict[str, Any]]) -> str | None:
    if kind == EMBEDDING:
        return None
    if kind == COMPLETION:
        return f"{content.get('system') or ''}\n{take(content, 'prompt', str, '')}"
    return tokens.opening_words(messages)


def _whole(options: Mapping[str, Any], name: str) -> int:
    value = options.get(name)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
