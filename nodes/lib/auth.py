"""Who may use the control API: this machine reads; a signed-in user with the right, or the control token, writes."""

import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from nodes.lib.control import ControlToken
from nodes.lib.live import current
from nodes.lib.local import TrustedProxies, is_local

if TYPE_CHECKING:  # these classes are settings of the views' module: it imports them while it is imported
    from rest_framework.views import APIView

BEARER = b"bearer"


class ControlTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer` with the token of `server.json`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ControlToken] | None:
        """Nobody, with the token as their right; None without a bearer; AuthenticationFailed for another token."""
        scheme, _, given = get_authorization_header(request).partition(b" ")
        if scheme.lower() != BEARER:
            return None
        token = current(ControlToken)
        if not token.value or not hmac.compare_digest(given.strip(), token.value.encode()):
            raise AuthenticationFailed("This is not the control token of the running server; it is in server.json.")
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return "Bearer"


class ReadFromLoopback(BasePermission):
    """Reads for this machine, users and the token; writes for the token and users who have the view's right.

    A view names its right as `permission` (one for all, or one a method) and, if a POST of it changes nothing, its
    reads as `reads`.
    """

    message = "From elsewhere, and to change anything, sign in at /admin/ or send the control token of server.json."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """May this request go on? NotAuthenticated, with words, if who asks might get in by saying who they are."""
        reads = request.method in getattr(view, "reads", SAFE_METHODS)
        if isinstance(request.auth, ControlToken) or (reads and self._is_local(request)):
            return True
        if not request.user.is_authenticated:
            raise NotAuthenticated(self.message)
        return reads or _allowed(request, getattr(view, "permission", ""))

    def _is_local(self, request: Request) -> bool:
        return is_local(request.META.get("REMOTE_ADDR"), request.headers.items(), current(TrustedProxies).networks)


def _allowed(request: Request, rights: str | Mapping[str, str]) -> bool:
    """Has the user the right for this method? PermissionDenied names the one that is missing."""
    right = rights if isinstance(rights, str) else rights.get(str(request.method), "")
    if not request.user.has_perm(right):
        raise PermissionDenied(f"This needs the right {right}: an administrator gives it at /admin/.")
    return True
