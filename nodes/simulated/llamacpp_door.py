"""How llama.cpp's server receives: errors, unknown routes, headers."""

from aiohttp import web

from nodes.simulated.faults import EngineError
from nodes.simulated.llamacpp_api import TooLong
from nodes.simulated.wire import JSON_UTF8, go_json

TYPES = {400: "invalid_request_error", 404: "not_found_error", 501: "not_supported_error", 503: "unavailable_error"}


def error(path: str, wrong: EngineError) -> web.Response:
    """One form for all paths; the code is a number."""
    form = {"code": wrong.status, "message": wrong.message, "type": TYPES.get(wrong.status, "server_error")}
    if isinstance(wrong, TooLong):
        form |= {"type": "exceed_context_size_error", "n_prompt_tokens": wrong.tokens, "n_ctx": wrong.context}
    return web.Response(body=go_json({"error": form}), status=wrong.status, headers={"Content-Type": JSON_UTF8})


def no_route(error: web.HTTPException) -> web.Response:
    """404, whatever was wrong: the path or the method."""
    form = {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}}
    return web.Response(body=go_json(form), status=404, headers={"Content-Type": JSON_UTF8})


def at_the_door(request: web.Request, host: str) -> web.Response | None:
    """Open to all."""
    return None


def dress(response: web.StreamResponse) -> None:
    """Its name, no date, and a CORS header without a value."""
    response.headers.popall("Date", None)
    response.headers["Server"] = "llama.cpp"
    response.headers["Access-Control-Allow-Origin"] = ""
