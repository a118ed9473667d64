"""The two newer routes, `/v1/messages` and `/v1/responses`, of both kinds of engine."""

import itertools
from typing import Any

from aiohttp import web

from nodes.simulated.answer import PARTS, Ask, Form, answer
from nodes.simulated.asking import Body, cut, find, read, required_model
from nodes.simulated.faults import EngineError
from nodes.simulated.llamacpp_api import read_any, served
from nodes.simulated.machine import ModelFile
from nodes.simulated.messages_forms import LlamaMessagesForm, MessagesForm
from nodes.simulated.ollama_api import check_able
from nodes.simulated.responses_forms import ResponsesForm
from nodes.simulated.wire import JSON_UTF8
from nodes.simulated.words import count, prompt_tokens, text_of, wanted_call

NO_LIMIT = "max_tokens is required and must be positive"
NO_MESSAGES = "messages is required"
NO_INPUT = "'input' is required"
_numbers = itertools.count(1)


async def messages(request: web.Request) -> web.StreamResponse:
    """Ollama's `POST /v1/messages`."""
    body = await read(request)
    asked = required_model(body)
    if body.get("max_tokens", 0) <= 0:
        raise EngineError(400, NO_LIMIT)
    file, said = find(request, asked), _conversation(body)
    check_able(file, asked, body, "chat")
    form = MessagesForm(asked, next(_numbers), max(1, len(text_of(said)) // 4))
    return await _answered(request, form, body, file, said, body["max_tokens"])


async def responses(request: web.Request) -> web.StreamResponse:
    """Ollama's `POST /v1/responses`."""
    body = await read(request)
    asked = required_model(body)
    file = find(request, asked)
    check_able(file, asked, body, "chat")
    form = ResponsesForm(asked, next(_numbers))
    return await _answered(request, form, body, file, _items(body), body.get("max_output_tokens"))


async def llama_messages(request: web.Request) -> web.StreamResponse:
    """llama.cpp's `POST /v1/messages`."""
    body = await read_any(request)
    file, said = served(request, body), _conversation(body)
    form = LlamaMessagesForm(file.alias, next(_numbers), count(text_of(said)))
    return await _answered(request, form, body, file, said, body.get("max_tokens"))


async def llama_responses(request: web.Request) -> web.StreamResponse:
    """llama.cpp's `POST /v1/responses`."""
    body = await read_any(request)
    file = served(request, body)
    form = ResponsesForm(file.alias, next(_numbers), numbered=False, whole_type=JSON_UTF8)
    return await _answered(request, form, body, file, _items(body), body.get("max_output_tokens"))


async def _answered(
    request: web.Request, form: Form, body: Body, file: ModelFile, said: list[Body], limit: int | None
) -> web.StreamResponse:
    text = text_of(said)
    tokens = prompt_tokens(text + str(body.get("tools") or ""), len(said))
    ask = Ask(
        file=file,
        prompt=text,
        prompt_tokens=cut(tokens, request.app[PARTS].machine.context),
        stream=bool(body.get("stream")),
        limit=limit,
        call=wanted_call(_tools(body), said),
    )
    return await answer(request, form, ask)


def _conversation(body: Body) -> list[Body]:
    """The messages, after the system prompt."""
    if not body.get("messages"):
        raise EngineError(400, NO_MESSAGES)
    return [{"role": "system", "content": body.get("system")}, *body["messages"]]


def _items(body: Body) -> list[Body]:
    """The input as messages, after the instructions."""
    given: Any = body.get("input")
    if given is None:
        raise EngineError(400, NO_INPUT)
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return [{"role": "system", "content": body.get("instructions")}, *items]


def _tools(body: Body) -> list[Body]:
    """Flat tools, as chat completions write them."""
    return [
        {"function": tool | {"parameters": tool.get("parameters") or tool.get("input_schema")}}
        for tool in body.get("tools") or []
    ]
