"""Django's bodies, bounded as the data plane's are: Django itself would take any size to disk."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from routing import wire
from routing.core.problems import Problem
from routing.protocols.base import Answer

Application = Callable[[Any, Any, Any], Awaitable[None]]


def bounded(application: Application) -> Application:
    """The same application behind 413 for a body beyond FLEET_MAX_BODY_MB."""

    async def bounded_application(scope: Any, receive: wire.Receive, send: wire.Send) -> None:
        try:
            body = await wire.read_body(wire.headers_of(scope), receive)
        except Problem as problem:
            await wire.answer(send, Answer(problem.status, orjson.dumps({"detail": problem.message})))
        except wire.ClientGone:
            return
        else:
            await application(scope, _replayed(body, receive), send)

    return bounded_application


def _replayed(body: bytes, receive: wire.Receive) -> wire.Receive:
    """The body first, then whatever else comes."""
    waiting: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return replayed
