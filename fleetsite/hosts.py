"""Django's and the WebSockets' doors: who may call this server by which name, and from which page.

Django's own ALLOWED_HOSTS can't hold networks, nor change while the server runs.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from nodes.lib.hosts import is_known_host
from nodes.lib.live import current
from routing.core.parameters import AccessPolicy

REFUSAL = "This server is not known by that name. An operator can add it to FLEET_ALLOWED_HOSTS.\n"
FOREIGN_PAGE = 4403


def known(host: str) -> bool:
    """Is this host one of ours, by the list now in force?"""
    return is_known_host(host, current(AccessPolicy).allowed_hosts)


@sync_and_async_middleware
def host_check(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Refuses, before anything else runs, a request whose `Host` is not ours."""

    async def middleware(request: HttpRequest) -> Any:
        return _refusal(request) or await get_response(request)

    def sync_middleware(request: HttpRequest) -> Any:
        return _refusal(request) or get_response(request)

    return middleware if iscoroutinefunction(get_response) else sync_middleware


def known_origin(application: Any) -> Any:
    """The WebSocket application for our own pages only: a browser sends the session's cookie from any page."""

    async def checked(scope: dict[str, Any], receive: Any, send: Any) -> None:
        origin = dict(scope["headers"]).get(b"origin", b"").decode("latin1")
        if known(_host_of(origin)):
            await application(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": FOREIGN_PAGE})

    return checked


def _refusal(request: HttpRequest) -> HttpResponse | None:
    if known(request.META.get("HTTP_HOST", "")):
        return None
    return HttpResponse(REFUSAL, status=400, content_type="text/plain; charset=utf-8")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
