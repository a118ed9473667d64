"""The routes of an engine that speaks only OpenAI's dialect, as llama.cpp's server does."""

import json
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from nodes.simulated.answer import PARTS, Ask, answer
from nodes.simulated.asking import Body
from nodes.simulated.faults import EngineError
from nodes.simulated.llamacpp_forms import BUILD, LlamaChatForm, LlamaCompletionForm
from nodes.simulated.machine import ModelFile
from nodes.simulated.ollama_api import DIMENSIONS, NO_EMBEDDINGS, input_texts
from nodes.simulated.openai_api import embedding_data
from nodes.simulated.wire import JSON_UTF8, go_json, send
from nodes.simulated.words import ToolCall, count, prompt_tokens, text_of, vector, wanted_call

OWNER = "llamacpp"


class TooLong(EngineError):
    """The prompt does not fit into the context."""

    def __init__(self, tokens: int, context: int) -> None:
        fits = f"exceeds the available context size ({context} tokens), try increasing it"
        super().__init__(400, f"request ({tokens} tokens) {fits}")
        self.tokens, self.context = tokens, context


async def health(request: web.Request) -> web.StreamResponse:
    """`GET /health`."""
    return await send(request, go_json({"status": "ok"}), JSON_UTF8)


async def models(request: web.Request) -> web.StreamResponse:
    """`GET /v1/models`: the same list twice, in two forms."""
    parts = request.app[PARTS]
    files, context = parts.engine.files.values(), parts.machine.context
    entries = {"models": [_entry(f) for f in files], "object": "list", "data": [_data(f, context) for f in files]}
    return await send(request, go_json(entries), JSON_UTF8)


async def props(request: web.Request) -> web.StreamResponse:
    """`GET /props`."""
    machine = request.app[PARTS].machine
    settings = {"n_ctx": machine.context, "params": {"temperature": 0.8}}
    said = {"default_generation_settings": settings, "total_slots": machine.parallel, "build_info": BUILD}
    return await send(request, go_json(said), JSON_UTF8)


async def slots(request: web.Request) -> web.StreamResponse:
    """`GET /slots`."""
    parts = request.app[PARTS]
    busy, context = parts.seen.generating.now.total(), parts.machine.context
    listed = [{"id": i, "n_ctx": context, "is_processing": i < busy} for i in range(parts.machine.parallel)]
    return await send(request, go_json(listed), JSON_UTF8)


async def chat(request: web.Request) -> web.StreamResponse:
    """`POST /v1/chat/completions`."""
    body = await read_any(request)
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise EngineError(400, "'messages' is required")
    file = served(request, body)
    call = wanted_call(body.get("tools") or [], messages)
    tokens = prompt_tokens(text_of(messages) + str(body.get("tools") or ""), len(messages))
    form = LlamaChatForm(file.alias, bool((body.get("stream_options") or {}).get("include_usage")))
    return await answer(request, form, _ask(request, body, file, text_of(messages), tokens, call))


async def completions(request: web.Request) -> web.StreamResponse:
    """`POST /v1/completions`."""
    body = await read_any(request)
    prompt, file = str(body.get("prompt", "")), served(request, body)
    return await answer(request, LlamaCompletionForm(file.alias), _ask(request, body, file, prompt, count(prompt)))


async def embed(request: web.Request) -> web.StreamResponse:
    """`POST /v1/embeddings`."""
    body, parts = await read_any(request), request.app[PARTS]
    file = served(request, body)
    if not file.embeds:
        raise EngineError(501, NO_EMBEDDINGS)
    texts = input_texts(body)
    async with parts.engine.slot(file, parts.machine.context, None):
        await parts.faults.flowing()
        data = embedding_data([vector(text, DIMENSIONS) for text in texts], body)
    tokens = sum(2 + count(text) for text in texts)
    counts = {"prompt_tokens": tokens, "total_tokens": tokens}
    whole = {"model": file.alias, "object": "list", "usage": counts, "data": data}
    return await send(request, go_json(whole), JSON_UTF8)


async def read_any(request: web.Request) -> Body:
    """The body, an object; its fields may be anything."""
    raw = await request.read()
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise EngineError(400, f"[json.exception.parse_error.101] parse error: {error}") from error
    if not isinstance(body, dict):
        raise EngineError(400, "the request is no JSON object")
    return body


def served(request: web.Request, body: Body) -> ModelFile:
    """Whatever name is asked for: the model of that name, else the first."""
    files: Sequence[ModelFile] = tuple(request.app[PARTS].engine.files.values())
    return next((file for file in files if body.get("model") in (file.name, file.alias)), files[0])


def _ask(
    request: web.Request, body: Body, file: ModelFile, prompt: str, tokens: int, call: ToolCall | None = None
) -> Ask:
    context = request.app[PARTS].machine.context
    if tokens > context:
        raise TooLong(tokens, context)
    limit: Any = body.get("max_completion_tokens", body.get("max_tokens"))
    return Ask(file, prompt, tokens, bool(body.get("stream")), limit, context, call=call)


def _entry(file: ModelFile) -> Body:
    details = {"parent_model": "", "format": "gguf", "family": "", "families": [""]}
    return {
        "name": file.alias,
        "model": file.alias,
        "modified_at": "",
        "size": "",
        "digest": "",
        "type": "model",
        "description": "",
        "tags": [""],
        "capabilities": sorted(file.capabilities & {"completion", "embedding", "vision"}),
        "parameters": "",
        "details": details | {"parameter_size": "", "quantization_level": ""},
    }


def _data(file: ModelFile, context: int) -> Body:
    sizes = {"n_embd": DIMENSIONS, "n_params": round(file.size / 0.6), "size": file.size}
    head = {"id": file.alias, "aliases": [file.alias], "tags": [], "object": "model", "created": 1_790_000_000}
    return head | {"owned_by": OWNER, "meta": {"n_ctx": context, "n_ctx_train": 8 * context, **sizes}}
