"""The doors of Django and of the WebSockets."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from fleetsite.hosts import host_check, known_origin
from nodes.lib.live import current, install
from routing.core.parameters import AccessPolicy


def answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse("in")


async def async_answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse("in")


async def accept(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "websocket.accept"})


async def knock(*origin: bytes) -> dict[str, Any]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await known_origin(accept)({"headers": [(b"origin", o) for o in origin]}, None, send)
    return sent[0]


def test_a_foreign_host_is_refused_with_the_remedy() -> None:
    refusal = host_check(answer)(RequestFactory().get("/", headers={"host": "evil.com"}))
    assert refusal.status_code == 400 and b"FLEET_ALLOWED_HOSTS" in refusal.content


def test_a_local_host_goes_on() -> None:
    assert host_check(answer)(RequestFactory().get("/", headers={"host": "127.0.0.1:11435"})).content == b"in"


async def test_it_does_the_same_on_the_loop() -> None:
    request = AsyncRequestFactory().get("/")
    request.META["HTTP_HOST"] = "evil.com"
    refusal = await host_check(async_answer)(request)
    request.META["HTTP_HOST"] = "localhost"
    welcome = await host_check(async_answer)(request)
    assert (refusal.status_code, welcome.status_code) == (400, 200)


def test_a_name_is_allowed_as_soon_as_the_parameter_says_so() -> None:
    before = current(AccessPolicy)
    install(AccessPolicy(allowed_hosts="fleet.example.com"))
    try:
        assert host_check(answer)(RequestFactory().get("/", headers={"host": "fleet.example.com"})).content == b"in"
    finally:
        install(before)


async def test_our_own_page_opens_a_socket() -> None:
    assert await knock(b"http://127.0.0.1:11435") == {"type": "websocket.accept"}


@pytest.mark.parametrize("origin", [(), (b"http://evil.com",), (b"null",), (b"http://[",)], ids=str)
async def test_a_foreign_page_opens_none(origin: tuple[bytes, ...]) -> None:
    assert await knock(*origin) == {"type": "websocket.close", "code": 4403}
