"""What a first start makes, and a second does not."""

import stat
from pathlib import Path

import pytest
from django.contrib.auth import authenticate

from fleetsite import firststart
from nodes.lib.digest import digest
from nodes.models import EnrolmentToken, Node
from routing.models import ApiKey

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FLEET_ADMIN_PASSWORD", "FLEET_API_KEY", "FLEET_ENROLMENT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def said(lines: list[str]) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in lines)


def test_on_loopback_it_makes_admin_and_token() -> None:
    assert list(said(firststart.make_credentials(loopback=True))) == ["admin user", "admin password", "enrolment token"]


def test_elsewhere_it_makes_an_api_key_too() -> None:
    assert "API key" in said(firststart.make_credentials(loopback=False))


def test_the_admin_can_sign_in_with_what_is_said() -> None:
    told = said(firststart.make_credentials(loopback=True))
    user = authenticate(username=told["admin user"], password=told["admin password"])
    assert user is not None and user.is_superuser


def test_token_and_key_are_kept_as_digests_only() -> None:
    told = said(firststart.make_credentials(loopback=False))
    kept = EnrolmentToken.objects.get().digest, ApiKey.objects.get().digest
    assert kept == (digest(told["enrolment token"]), digest(told["API key"]))


def test_a_second_start_makes_nothing() -> None:
    firststart.make_credentials(loopback=False)
    assert firststart.make_credentials(loopback=False) == []


def test_a_later_start_beyond_loopback_makes_the_missing_key() -> None:
    firststart.make_credentials(loopback=True)
    assert list(said(firststart.make_credentials(loopback=False))) == ["API key"]


def test_a_revoked_key_does_not_come_back() -> None:
    firststart.make_credentials(loopback=False)
    ApiKey.objects.update(revoked_at="2026-01-01T00:00:00Z")
    assert firststart.make_credentials(loopback=False) == []


def test_the_environment_sets_them_and_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_ADMIN_PASSWORD", "given-password")
    lines = firststart.make_credentials(loopback=True)
    assert authenticate(username="admin", password="given-password") and "given-password" not in "".join(lines)


def test_a_key_in_the_environment_is_made_on_loopback_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_API_KEY", "given-key")
    firststart.make_credentials(loopback=True)
    assert ApiKey.objects.get().digest == digest("given-key")


def test_what_is_written_down_only_we_can_read(tmp_path: Path) -> None:
    path = firststart.write_down(tmp_path, ["a: b"])
    assert (path.name, stat.S_IMODE(path.stat().st_mode)) == ("first-start.txt", 0o600)


@pytest.mark.parametrize(
    ("name", "secret"),
    [("FLEET_ADMIN_PASSWORD", "1"), ("FLEET_API_KEY", "x"), ("FLEET_ENROLMENT_TOKEN", "fifteen-letters")],
)
def test_a_weak_secret_is_warned_of_and_not_repeated(
    name: str, secret: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(name, secret)
    firststart.make_credentials(loopback=False)
    (said,) = caplog.messages
    assert said.startswith(f"{name} is weak: ") and secret not in said.removeprefix(name).split()


@pytest.mark.parametrize("name", ["FLEET_ADMIN_PASSWORD", "FLEET_API_KEY", "FLEET_ENROLMENT_TOKEN"])
def test_a_strong_secret_is_not(name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(name, "correct-horse-battery")
    firststart.make_credentials(loopback=False)
    assert caplog.messages == []


def test_a_later_line_is_added(tmp_path: Path) -> None:
    firststart.write_down(tmp_path, ["a: b"])
    assert firststart.write_down(tmp_path, ["c: d"]).read_text() == "a: b\nc: d\n"


class TestTheOllamaBesideUs:
    """Looked for once; database work in its own thread, so these tests commit."""

    pytestmark = pytest.mark.django_db(transaction=True)

    async def found(self, url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
        async def answer() -> str | None:
            return url

        monkeypatch.setattr(firststart, "local_ollama", answer)
        await firststart.add_local_node()

    async def test_it_becomes_a_node(self, monkeypatch: pytest.MonkeyPatch) -> None:
        await self.found("http://127.0.0.1:11434", monkeypatch)
        assert await Node.objects.aget() == await Node.objects.aget(name="local", enrolment="approved")

    async def test_where_there_is_none_there_is_no_node(self, monkeypatch: pytest.MonkeyPatch) -> None:
        await self.found(None, monkeypatch)
        assert not await Node.objects.aexists()
