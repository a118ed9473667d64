"""Refusals beyond the record."""

from collections.abc import Iterator

import pytest

from nodes.lib.live import current, install
from routing import refusals
from routing.core.parameters import RecordPolicy
from routing.refusals import worth_recording


@pytest.fixture(autouse=True)
def _one_a_second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One refusal a second of each address is recorded; nothing was refused before."""
    before = current(RecordPolicy)
    install(RecordPolicy(refusals_per_second=1))
    monkeypatch.setattr(refusals, "_seen", {})
    monkeypatch.setattr(refusals, "_unrecorded", 0)
    monkeypatch.setattr(refusals, "_told_at", float("-inf"))
    yield
    install(before)


def test_each_address_has_its_own_second() -> None:
    asked = [("a", 0.0), ("a", 0.9), ("b", 0.9), ("a", 1.0)]
    assert [worth_recording(address, now) for address, now in asked] == [True, False, True, True]


def test_the_log_tells_once_a_minute_how_many_were_only_counted(caplog: pytest.LogCaptureFixture) -> None:
    for now in (0.0, 0.1, 0.2, 0.3, 59.0, 59.1, 61.0, 61.1):
        worth_recording("a", now)
    assert [record.getMessage().rpartition(": ")[2] for record in caplog.records] == ["1 so far", "5 so far"]
