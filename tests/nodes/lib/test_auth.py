from collections.abc import Iterator

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from rest_framework.authentication import SessionAuthentication
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from nodes.lib.auth import ControlTokenAuthentication, ReadFromLoopback
from nodes.lib.control import ControlToken
from nodes.lib.live import install
from nodes.lib.local import TrustedProxies

SECRET = "the-control-token"


class Guarded(APIView):
    """A view that anyone who gets in may use."""

    authentication_classes = (ControlTokenAuthentication, SessionAuthentication)
    permission_classes = (ReadFromLoopback,)
    permission = "nodes.change_node"

    def get(self, request: object) -> Response:
        return Response("read")

    def post(self, request: object) -> Response:
        return Response("written")


class Asking(Guarded):
    """A view whose POST changes nothing."""

    reads = ("GET", "POST")


@pytest.fixture(autouse=True)
def _token() -> Iterator[None]:
    install(ControlToken(SECRET))
    yield
    install(ControlToken())
    install(TrustedProxies())


def status(method: str, view: type[APIView] = Guarded, user: object = None, **headers: str) -> int:
    """What a request gets, from loopback unless REMOTE_ADDR says otherwise."""
    request = APIRequestFactory().generic(method, "/", **headers)
    force_authenticate(request, user=user) if user else setattr(request, "user", AnonymousUser())
    return view.as_view()(request).status_code


def test_this_machine_reads() -> None:
    assert status("GET") == 200


def test_another_machine_does_not() -> None:
    assert status("GET", REMOTE_ADDR="192.168.1.9") == 401


def test_a_forwarded_request_does_not() -> None:
    assert status("GET", HTTP_X_FORWARDED_FOR="127.0.0.1") == 401


def test_a_request_of_this_machine_through_a_trusted_proxy_does() -> None:
    install(TrustedProxies("127.0.0.1"))
    assert status("GET", HTTP_X_FORWARDED_FOR="127.0.0.1") == 200


def test_a_request_of_another_machine_through_a_trusted_proxy_does_not() -> None:
    install(TrustedProxies("127.0.0.1"))
    assert status("GET", HTTP_X_FORWARDED_FOR="192.168.1.9") == 401


def test_this_machine_alone_writes_nothing() -> None:
    assert status("POST") == 401


def test_a_post_that_changes_nothing_is_a_read() -> None:
    assert status("POST", Asking) == 200
    assert status("POST", Asking, REMOTE_ADDR="192.168.1.9") == 401


def test_the_token_writes_from_anywhere() -> None:
    assert status("POST", HTTP_AUTHORIZATION=f"Bearer {SECRET}", REMOTE_ADDR="192.168.1.9") == 200


def test_who_is_refused_is_told_how_to_get_in() -> None:
    answer = Guarded.as_view()(APIRequestFactory().post("/"))
    assert "sign in at /admin/ or send the control token" in answer.data["detail"]


def test_a_wrong_token_is_told_so() -> None:
    assert status("GET", HTTP_AUTHORIZATION="Bearer wrong") == 401


def test_no_token_in_force_lets_no_empty_one_in() -> None:
    install(ControlToken())
    assert status("POST", HTTP_AUTHORIZATION="Bearer ") == 401


@pytest.mark.django_db
def test_a_user_without_the_right_reads_from_anywhere_and_writes_nothing() -> None:
    user = User.objects.create_user("guest")
    assert status("GET", user=user, REMOTE_ADDR="192.168.1.9") == 200
    assert status("POST", user=user) == 403


@pytest.mark.django_db
def test_a_user_with_the_right_writes() -> None:
    user = User.objects.create_user("operator")
    user.user_permissions.add(Permission.objects.get(codename="change_node"))
    assert status("POST", user=user) == 200


class Differing(Guarded):
    """A view whose methods need different rights."""

    permission = {"POST": "nodes.add_node", "DELETE": "nodes.delete_node"}  # type: ignore[assignment]

    def delete(self, request: object) -> Response:
        return Response("deleted")


@pytest.mark.django_db
def test_each_method_may_need_a_right_of_its_own() -> None:
    user = User.objects.create_user("adder")
    user.user_permissions.add(Permission.objects.get(codename="add_node"))
    assert (status("POST", Differing, user=user), status("DELETE", Differing, user=user)) == (200, 403)


@pytest.mark.django_db
def test_a_user_is_told_which_right_is_missing() -> None:
    request = APIRequestFactory().post("/")
    force_authenticate(request, user=User.objects.create_user("guest"))
    assert "nodes.change_node" in Guarded.as_view()(request).data["detail"]
