"""One ASGI application of many protocols: data plane, heartbeat, health, Django, WebSockets, lifespan."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetsite.settings")
django_application = get_asgi_application()  # sets Django up: what follows may import models

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import re_path  # noqa: E402

from fleetsite.bodies import bounded  # noqa: E402
from fleetsite.dashboards import urls as dashboards  # noqa: E402
from fleetsite.health import healthz, readyz  # noqa: E402
from fleetsite.hosts import known_origin  # noqa: E402
from fleetsite.runtime import lifespan  # noqa: E402
from nodes.heartbeats import heartbeat  # noqa: E402
from routing.endpoints import data_plane, is_ours  # noqa: E402

Handler = Callable[[Any, Any, Any], Awaitable[None]]

RAW: dict[str, Handler] = {
    "/fleet/api/v1/heartbeat": heartbeat,
    "/healthz": healthz,
    "/readyz": readyz,
}
NO_SUCH_SOCKET = 4404


async def http(scope: Any, receive: Any, send: Any) -> None:
    """Inference and heartbeats never meet Django; everything else does."""
    path = scope["path"]
    ours = data_plane if is_ours(path) else bounded(django_application)
    await RAW.get(path, ours)(scope, receive, send)


async def no_such_socket(scope: Any, receive: Any, send: Any) -> None:
    """Tells a page that asks for a socket we don't have, with a close code that it can read."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": NO_SUCH_SOCKET, "reason": "there is no such socket"})


sockets = [*dashboards.sockets, re_path(r"", no_such_socket)]  # type: ignore[arg-type]  # Channels routes to ASGI applications, not views
websocket = known_origin(AuthMiddlewareStack(URLRouter(sockets)))
application = ProtocolTypeRouter({"http": http, "websocket": websocket, "lifespan": lifespan})
