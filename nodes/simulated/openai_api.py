"""Ollama's `/v1` routes that answer questions."""

import base64
import itertools
import struct

from aiohttp import web

from nodes.simulated.answer import PARTS, Ask, answer
from nodes.simulated.asking import Body, cut, find, read, required_model
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import ModelFile
from nodes.simulated.ollama_api import TRY_PULLING, check_able, embeddings, input_texts
from nodes.simulated.openai_forms import V1ChatForm, V1CompletionForm
from nodes.simulated.wire import JSON, go_json, send
from nodes.simulated.words import ToolCall, prompt_tokens, text_of, wanted_call

NO_MESSAGES = "[] is too short - 'messages'"
_numbers = itertools.count(1)


async def chat(request: web.Request) -> web.StreamResponse:
    """`POST /v1/chat/completions`."""
    body = await read(request)
    messages = body.get("messages")
    if not messages:
        raise EngineError(400, NO_MESSAGES)
    asked = required_model(body)
    file = find(request, asked)
    check_able(file, asked, body, "chat")
    call = wanted_call(body.get("tools", []), messages)
    tokens = prompt_tokens(text_of(messages) + str(body.get("tools", "")), len(messages))
    form = V1ChatForm(asked, next(_numbers), _wants_usage(body))
    return await answer(request, form, _ask(request, body, file, text_of(messages), tokens, call))


async def completions(request: web.Request) -> web.StreamResponse:
    """`POST /v1/completions`."""
    body = await read(request)
    asked, prompt = required_model(body), body.get("prompt", "")
    file = find(request, asked)
    check_able(file, asked, body, "generate")
    form = V1CompletionForm(asked, next(_numbers), _wants_usage(body))
    return await answer(request, form, _ask(request, body, file, prompt, prompt_tokens(prompt)))


async def embed(request: web.Request) -> web.StreamResponse:
    """`POST /v1/embeddings`."""
    body = await read(request)
    asked = required_model(body)
    file = find(request, asked, TRY_PULLING)
    texts = input_texts(body)
    vectors, tokens, _ = await embeddings(request, file, texts, body)
    data = embedding_data(vectors, body)
    counts = {"prompt_tokens": tokens, "total_tokens": tokens}
    whole = {"object": "list", "data": data, "model": asked, "usage": counts}
    return await send(request, go_json(whole) + b"\n", JSON)


def embedding_data(vectors: list[tuple[float, ...]], body: Body) -> list[Body]:
    """The vectors as the request wants them: numbers, or base64 of 32-bit floats."""
    packed = body.get("encoding_format") == "base64"
    written = [_packed(v) if packed else v for v in vectors]
    return [{"object": "embedding", "embedding": v, "index": i} for i, v in enumerate(written)]


def _packed(numbers: tuple[float, ...]) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def _wants_usage(body: Body) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


def _ask(
    request: web.Request, body: Body, file: ModelFile, prompt: str, tokens: int, call: ToolCall | None = None
) -> Ask:
    return Ask(
        file=file,
        prompt=prompt,
        prompt_tokens=cut(tokens, request.app[PARTS].machine.context),
        stream=body.get("stream", False),
        limit=body.get("max_tokens"),
        call=call,
    )
