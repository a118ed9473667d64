"""Who may look at the dashboards: this machine, and whoever is signed in."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest

from nodes.lib.live import current
from nodes.lib.local import TrustedProxies, is_local


def page_is_open(request: HttpRequest) -> bool:
    """May who asks for this page see it?"""
    return request.user.is_authenticated or _local(request.META.get("REMOTE_ADDR"), request.headers.keys())


def socket_is_open(scope: Mapping[str, Any]) -> bool:
    """May who opens this WebSocket read it?"""
    peer = (scope.get("client") or (None,))[0]
    names = [name.decode("latin-1") for name, _ in scope["headers"]]
    return bool(scope["user"].is_authenticated) or _local(peer, names)


def _local(peer: str | None, names: Iterable[str]) -> bool:
    return is_local(peer, names, current(TrustedProxies).networks)
