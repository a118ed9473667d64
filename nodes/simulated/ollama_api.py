"""Ollama's routes that answer questions: chat, generate, embed."""

import time
from typing import Any

from aiohttp import web

from nodes.simulated.answer import PARTS, Ask, answer
from nodes.simulated.asking import Body, cut, find, keep_alive, option, read, required_model
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import EMBEDDING_CONTEXT, ModelFile
from nodes.simulated.ollama_forms import ChatForm, GenerateForm
from nodes.simulated.wire import JSON_UTF8, go_json, send
from nodes.simulated.words import ToolCall, count, prompt_tokens, text_of, vector, wanted_call

DIMENSIONS = 384
NO_EMBEDDINGS = "This server does not support embeddings. Start it with `--embeddings`"
TRY_PULLING = 'model "{}" not found, try pulling it first'
TOO_LONG = "the input length exceeds the context length"


async def chat(request: web.Request) -> web.StreamResponse:
    """`POST /api/chat`."""
    body = await read(request)
    asked = required_model(body)
    file, messages = find(request, asked), body.get("messages", [])
    check_able(file, asked, body, "chat")
    form = ChatForm(asked)
    if not messages:
        return await _load(request, form, file, body)
    call = wanted_call(body.get("tools", []), messages)
    tokens = prompt_tokens(text_of(messages) + str(body.get("tools", "")), len(messages))
    return await answer(request, form, _ask(request, body, file, text_of(messages), tokens, call))


async def generate(request: web.Request) -> web.StreamResponse:
    """`POST /api/generate`."""
    body = await read(request)
    asked, prompt = body.get("model", ""), body.get("prompt", "")
    file = find(request, asked)
    check_able(file, asked, body, "generate")
    if not prompt:
        return await _load(request, GenerateForm(asked), file, body)
    tokens = prompt_tokens(body.get("system", "") + prompt)
    return await answer(request, GenerateForm(asked), _ask(request, body, file, prompt, tokens))


async def embed(request: web.Request) -> web.StreamResponse:
    """`POST /api/embed`."""
    start, body = time.monotonic_ns(), await read(request)
    asked = body.get("model", "")
    file = find(request, asked, TRY_PULLING if asked else "model '{}' not found")
    texts = input_texts(body)
    vectors, tokens, load = await embeddings(request, file, texts, body)
    metrics = {"total_duration": time.monotonic_ns() - start, "load_duration": load, "prompt_eval_count": tokens}
    answered = {"model": asked, "embeddings": vectors} | (metrics if texts else {})
    return await send(request, go_json(answered), JSON_UTF8)


async def old_embeddings(request: web.Request) -> web.StreamResponse:
    """`POST /api/embeddings`, the one with a single prompt."""
    body = await read(request)
    file = find(request, required_model(body), TRY_PULLING)
    texts = [body["prompt"]] if body.get("prompt") else []
    vectors, _, _ = await embeddings(request, file, texts, body)
    return await send(request, go_json({"embedding": vectors[0] if vectors else []}), JSON_UTF8)


async def embeddings(
    request: web.Request, file: ModelFile, texts: list[str], body: Body
) -> tuple[list[tuple[float, ...]], int, int]:
    """Vectors, tokens, and how long the model took to load, in nanoseconds."""
    start, parts = time.monotonic_ns(), request.app[PARTS]
    if not file.embeds:
        raise EngineError(501, NO_EMBEDDINGS)
    if body.get("truncate") is False and any(count(text) > EMBEDDING_CONTEXT for text in texts):
        raise EngineError(400, TOO_LONG)
    async with parts.engine.slot(file, None, keep_alive(body)):
        load = time.monotonic_ns() - start
        await parts.faults.flowing()
        size = body.get("dimensions", DIMENSIONS)
        return [vector(text, size) for text in texts], sum(2 + count(text) for text in texts), load


def input_texts(body: Body) -> list[str]:
    """`input`, one text or several."""
    given: Any = body.get("input", [])
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise EngineError(400, "invalid input type")
    return [text for text in texts if text]


def check_able(file: ModelFile, asked: str, body: Body, route: str) -> None:
    """EngineError 400 if the model can't do what is asked."""
    if file.embeds:
        raise EngineError(400, f'"{asked}" does not support {route}')
    if body.get("tools") and "tools" not in file.capabilities:
        raise EngineError(400, f"{file.full_name} does not support tools")
    if body.get("think") and "thinking" not in file.capabilities:
        raise EngineError(400, f'"{asked}" does not support thinking')


async def _load(request: web.Request, form: ChatForm, file: ModelFile, body: Body) -> web.StreamResponse:
    """Nothing is asked: load the model, or unload it."""
    engine, seconds = request.app[PARTS].engine, keep_alive(body)
    if seconds == 0:
        engine.unload(file)
        return await send(request, form.only("unload"), JSON_UTF8)
    async with engine.held(file, option(body, "num_ctx"), seconds):
        return await send(request, form.only("load"), JSON_UTF8)


def _ask(
    request: web.Request, body: Body, file: ModelFile, prompt: str, tokens: int, call: ToolCall | None = None
) -> Ask:
    context = option(body, "num_ctx")
    return Ask(
        file=file,
        prompt=prompt,
        prompt_tokens=cut(tokens, context or request.app[PARTS].machine.context),
        stream=body.get("stream", True),
        limit=option(body, "num_predict"),
        context=context,
        keep_alive=keep_alive(body),
        call=call,
    )
