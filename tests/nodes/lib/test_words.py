from datetime import UTC, datetime

import pytest

from nodes.lib.words import before_and_after, listed, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("", "nothing"),
        ([], "nothing"),
        (True, "yes"),
        (False, "no"),
        (1.5, "1.5"),
        (192.0, "192"),
        (3, "3"),
        ("studio", "studio"),
        (["b", "a"], "a, b"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02 03:04:05+00:00"),
    ],
)
def test_a_value_is_written_as_people_write_it(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_change_names_what_differs_before_and_after() -> None:
    before = {"url": "http://a", "paused": False, "note": None}
    after = {"url": "http://a", "paused": True, "note": ""}
    assert before_and_after(before, after) == "paused: no → yes"


def test_what_is_empty_is_not_listed() -> None:
    assert listed({"name": "studio", "note": "", "memory_gb": None, "paused": False}) == "name studio; paused no"
