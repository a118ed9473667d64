"""How Ollama receives: foreign hosts and origins, errors, unknown routes, headers."""

import ipaddress
import socket
from urllib.parse import urlsplit

from aiohttp import web

from nodes.simulated.faults import EngineError
from nodes.simulated.wire import JSON, JSON_UTF8, go_json

PLAIN = {"Content-Type": "text/plain"}
LOCAL_SUFFIXES = (".localhost", ".local", ".internal")
LOCAL_ORIGINS = ("localhost", "127.0.0.1", "0.0.0.0", "::1")
APP_SCHEMES = ("app", "file", "tauri", "vscode-webview", "vscode-file")
V1_TYPES = {404: "not_found_error", 400: "invalid_request_error"}
REQUEST_ID = "req_0123456789abcdef01234567"
METHODS = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"
ALLOWED_HEADERS = "Authorization,Content-Type,User-Agent,Accept,X-Requested-With"


def error(path: str, wrong: EngineError) -> web.Response:
    """`/api`, `/v1` and, within it, messages have an error form each."""
    if not path.startswith("/v1"):
        body, headers = go_json({"error": wrong.message}), {"Content-Type": JSON_UTF8}
        return web.Response(body=body, status=wrong.status, headers=headers)
    kind = V1_TYPES.get(wrong.status, "api_error")
    form: dict[str, object] = {"error": {"message": wrong.message, "type": kind, "param": None, "code": None}}
    if path == "/v1/messages":
        form = {"type": "error", "error": {"type": kind, "message": wrong.message}, "request_id": REQUEST_ID}
    return web.Response(body=go_json(form) + b"\n", status=wrong.status, headers={"Content-Type": JSON})


def no_route(error: web.HTTPException) -> web.Response:
    """404 and 405 in plain text."""
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods, reverse=True))
        return web.Response(body=b"405 method not allowed", status=405, headers=PLAIN | {"Allow": allowed})
    return web.Response(body=b"404 page not found", status=404, headers=PLAIN)


def at_the_door(request: web.Request, host: str) -> web.Response | None:
    """403 without a word for foreign hosts, when bound to loopback, and for foreign origins."""
    if _is_loopback(host) and not local_host(request.host):
        return web.Response(status=403)
    origin = request.headers.get("Origin")
    if origin is not None and not local_origin(origin, request.host):
        return web.Response(status=403)
    if origin is not None and request.method == "OPTIONS":
        return web.Response(status=204, headers=_preflight(origin))
    return None


def local_host(asked: str) -> bool:
    """May a client call an engine bound to loopback by this `Host`?"""
    name = (urlsplit(f"//{asked}").hostname or "").rstrip(".")
    if name in ("", "localhost", socket.gethostname().lower()) or name.endswith(LOCAL_SUFFIXES):
        return True
    return _is_private(name)


def local_origin(origin: str, host: str) -> bool:
    """May a page of this origin call the engine?"""
    parts = urlsplit(origin)
    return parts.scheme in APP_SCHEMES or parts.hostname in LOCAL_ORIGINS or parts.netloc == host


def dress(response: web.StreamResponse) -> None:
    """No `Server`; no type where there is no body."""
    response.headers.popall("Server", None)
    if response.headers.get("Content-Type") == "application/octet-stream":
        del response.headers["Content-Type"]


def _is_private(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_private or address.is_loopback or address.is_unspecified


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_private(host) and ipaddress.ip_address(host).is_loopback)


def _preflight(origin: str) -> dict[str, str]:
    allowed = {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": METHODS}
    return allowed | {"Access-Control-Allow-Headers": ALLOWED_HEADERS, "Access-Control-Max-Age": "43200"}
