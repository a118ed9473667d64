"""Which application answers what."""

from typing import Any

import pytest

from fleetsite import asgi

CHROME = {"type": "websocket", "path": "/ws/nothing", "headers": [(b"origin", b"http://localhost:11435")]}


async def talk(application: Any, scope: dict[str, Any], *received: dict[str, Any]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    incoming = iter(received)

    async def receive() -> dict[str, Any]:
        return next(incoming)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return sent


@pytest.mark.django_db(transaction=True)
async def test_a_socket_that_we_do_not_have_is_closed_with_4404() -> None:
    sent = await talk(asgi.application, dict(CHROME), {"type": "websocket.connect"})
    assert [m.get("code") for m in sent] == [None, 4404]


async def test_a_foreign_page_gets_no_socket() -> None:
    foreign = CHROME | {"headers": [(b"origin", b"http://evil.com")]}
    assert await talk(asgi.application, foreign) == [{"type": "websocket.close", "code": 4403}]


@pytest.mark.parametrize(
    "path, whose",
    [
        ("/v1/chat/completions", "data_plane"),
        ("/api/tags", "data_plane"),
        ("/fleet/api/v1/heartbeat", "heartbeat"),
        ("/fleet/api/v1/nodes", "django"),
        ("/admin/", "django"),
    ],
)
async def test_each_path_goes_to_its_own_application(path: str, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []

    def named(name: str) -> Any:
        async def application(scope: Any, receive: Any, send: Any) -> None:
            called.append(name)

        return application

    monkeypatch.setattr(asgi, "data_plane", named("data_plane"))
    monkeypatch.setattr(asgi, "django_application", named("django"))
    monkeypatch.setitem(asgi.RAW, "/fleet/api/v1/heartbeat", named("heartbeat"))
    scope = {"type": "http", "path": path, "method": "POST", "headers": []}
    await talk(asgi.application, scope, {"type": "http.request", "body": b""})
    assert called == [whose]
