"""`/sim/…`: what a simulated node in another process saw, and its faults. Only there when asked for.

| route | does |
|---|---|
| `GET /sim/seen` | every counter |
| `GET /sim/received` | the last requests: method, path, headers, body as text |
| `POST /sim/faults` | `{"break": {"kind": "torn", "after": 3, "times": 1}, "answer": {"status": 503, "body": "…", "times": 1}, "hang": true, "slow_load": 4}`, each of them optional |
| `DELETE /sim/faults` | no more faults |
| `POST /sim/refuse` | `{"seconds": 2}`: connections are refused for so long |
"""  # noqa: E501

from collections.abc import Callable
from typing import Any

import orjson
from aiohttp import web

from nodes.simulated.answer import PARTS
from nodes.simulated.faults import EngineError, Faults
from nodes.simulated.wire import JSON, go_json, send

PREFIX = "/sim/"
REFUSE: web.AppKey[Callable[[float], None]] = web.AppKey("refuse")


async def seen(request: web.Request) -> web.StreamResponse:
    """Every counter."""
    return await send(request, go_json(request.app[PARTS].seen.counts()), JSON)


async def received(request: web.Request) -> web.StreamResponse:
    """The last requests, oldest first."""
    kept = [
        {"method": r.method, "path": r.path, "headers": r.headers, "body": r.body.decode(errors="replace")}
        for r in request.app[PARTS].seen.received
    ]
    return await send(request, go_json(kept), JSON)


async def set_faults(request: web.Request) -> web.StreamResponse:
    """Set some faults; the others stay."""
    wanted, faults = await _object(request), request.app[PARTS].faults
    unknown = set(wanted) - set(SETTERS)
    if unknown:
        raise EngineError(400, f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(SETTERS)}")
    try:
        for name, value in wanted.items():
            SETTERS[name](faults, value)
    except (TypeError, ValueError) as error:
        raise EngineError(400, f"this fault can't be set: {error}") from error
    return web.Response(status=204)


async def heal(request: web.Request) -> web.StreamResponse:
    """No more faults."""
    request.app[PARTS].faults.heal()
    return web.Response(status=204)


async def refuse(request: web.Request) -> web.StreamResponse:
    """Refuse connections for some seconds, from the end of this answer on."""
    seconds = (await _object(request)).get("seconds")
    if not isinstance(seconds, int | float):
        raise EngineError(400, 'say for how long: {"seconds": 2}')
    request.app[REFUSE](float(seconds))
    return web.Response(status=204)


async def _object(request: web.Request) -> dict[str, Any]:
    try:
        body = orjson.loads(await request.read())
    except ValueError as error:
        raise EngineError(400, f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise EngineError(400, "the body is no JSON object")
    return body


def _slow_load(faults: Faults, factor: float) -> None:
    faults.slow_load = float(factor)


def _hang(faults: Faults, hanging: bool) -> None:
    faults.hanging = bool(hanging)
    faults.seen.ring()


SETTERS: dict[str, Callable[[Faults, Any], None]] = {
    "break": lambda faults, given: faults.break_streams(**given),
    "answer": lambda faults, given: faults.answer(**given),
    "hang": _hang,
    "slow_load": _slow_load,
}
CONTROL_ROUTES = (
    ("GET", "/sim/seen", seen),
    ("GET", "/sim/received", received),
    ("POST", "/sim/faults", set_faults),
    ("DELETE", "/sim/faults", heal),
    ("POST", "/sim/refuse", refuse),
)
