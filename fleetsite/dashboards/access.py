"""Who may look at the dashboards: this machine, and whoever is signed in."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from nodes.lib.live import current
from nodes.lib.local import Headers, TrustedProxies, is_local


def page_is_open(request: HttpRequest) -> bool:
    """May who asks for this page see it?"""
    return request.user.is_authenticated or _local(request.META.get("REMOTE_ADDR"), request.headers.items())


def socket_is_open(scope: Mapping[str, Any]) -> bool:
    """May who opens this WebSocket read it?"""
    peer = (scope.get("client") or (None,))[0]
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    return bool(scope["user"].is_authenticated) or _local(peer, headers)


def _local(peer: str | None, headers: Headers) -> bool:
    return is_local(peer, headers, current(TrustedProxies).networks)
