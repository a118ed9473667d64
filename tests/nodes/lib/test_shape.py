"""JSON against a table: each wrong field is named."""

from typing import Any

import pytest

from nodes.lib.shape import Kind, Misshapen, Optional, anything, boolean, number, one_of, record, several, text, whole

FORM = record({"a": whole(0, 9), "b": Optional(record({"c": several(text(3), 2)}))})


def test_a_good_form_comes_back_with_its_defaults() -> None:
    assert FORM({"a": 1, "unknown": 2}, "") == {"a": 1, "b": None}


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ([], "", "must be an object"),
        ({}, "a", "is missing"),
        ({"a": None}, "a", "must be a whole number from 0 to 9"),
        ({"a": 1, "b": []}, "b", "must be an object"),
        ({"a": 1, "b": {}}, "b.c", "is missing"),
        ({"a": 1, "b": {"c": ["x", 7]}}, "b.c[1]", "must be a text of 0 to 3 characters"),
        ({"a": 1, "b": {"c": ["x", "y", "z"]}}, "b.c", "must be a list of at most 2"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(given: Any, field: str, reason: str) -> None:
    with pytest.raises(Misshapen) as raised:
        FORM(given, "")
    assert (raised.value.field, raised.value.reason) == (field, reason)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (number(0, 1), [0, 1, 0.5], [True, "1", -0.1, 1.1, float("nan"), None]),
        (whole(0, 9), [0, 9], [True, 1.0, "1", -1, 10]),
        (text(3, 1), ["a", " abc "], ["", "  ", "abcd", 1]),
        (boolean, [True, False], [0, 1, "true"]),
        (one_of(1), [1], [True, 1.0, "1", 2]),
        (one_of("a", "b"), ["a", "b"], ["c", None, []]),
        (anything, [{}, {"a": [1]}], [[], "a", 1]),
    ],
)
def test_a_kind_takes_what_it_says_and_nothing_else(kind: Kind, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        kind(value, "x")
    for value in bad:
        with pytest.raises(Misshapen):
            kind(value, "x")
