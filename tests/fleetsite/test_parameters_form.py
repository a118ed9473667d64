from typing import Any

import pytest

from fleetsite import parameters_form as form
from fleetsite.parameters import PARAMETERS, BadParameters, parse, written
from fleetsite.presenters import parameter_row

HOT, ROOM, KEY, HOSTS = (
    "FLEET_SCORE_MODEL_HOT",
    "FLEET_HOLD_MAKES_ROOM",
    "FLEET_REQUIRE_API_KEY",
    "FLEET_ALLOWED_HOSTS",
)
CHANGE = {"value": 60.0, "note": "warmer", "author": "ada", "at": "2026-11-30T12:00:00.000Z"}


def row(name: str = HOT, value: object = 50.0, environment: object = None, change: Any = None) -> dict[str, Any]:
    """One parameter as the API shows it."""
    return parameter_row(PARAMETERS[name], value, environment, change)


def entry(posted: form.Posted = {}, problems: Any = {}, **given: Any) -> form.Entry:  # noqa: B006  nobody changes them
    """One parameter as the page shows it."""
    [found] = [e for s in form.sections([row(**given)], posted, problems) for e in s.entries]
    return found


def posted(name: str, was: str, **now: str) -> dict[str, str]:
    """What a browser sends of one parameter."""
    return {f"was-{name}": was} | now


@pytest.mark.parametrize(
    ("sent", "changed"),
    [
        (posted(HOT, "50", **{HOT: "60"}), {HOT: "60"}),
        (posted(HOT, "50", **{HOT: "50"}), {}),
        (posted(HOT, "50", **{HOT: " 50 "}), {}),
        (posted(HOT, "50", **{HOT: ""}), {HOT: ""}),
        (posted(HOT, "50"), {}),
        (posted(HOT, "60", **{HOT: "60", f"revert-{HOT}": "on"}), {HOT: None}),
        (posted(HOT, "60", **{HOT: "70", f"revert-{HOT}": "on"}), {HOT: None}),
        (posted(ROOM, "true"), {ROOM: "false"}),
        (posted(ROOM, "false", **{ROOM: "true"}), {ROOM: "true"}),
        (posted(ROOM, "true", **{ROOM: "true"}), {}),
        (posted(HOSTS, "a.example", **{HOSTS: ""}), {HOSTS: ""}),
        ({HOT: "60"}, {}),
        ({"was-FLEET_XYZZY": "1", "FLEET_XYZZY": "2"}, {}),
    ],
)
def test_what_differs_from_what_was_shown_is_a_change(sent: dict[str, str], changed: dict[str, object]) -> None:
    assert form.changes(sent) == changed


def test_a_value_that_somebody_changed_meanwhile_is_not_overwritten() -> None:
    with pytest.raises(BadParameters, match="has become 70 meanwhile"):
        form.refuse_overtaken({HOT: "60"}, posted(HOT, "50", **{HOT: "60"}), [row(value=70.0)])


def test_what_others_changed_elsewhere_is_in_nobodys_way() -> None:
    form.refuse_overtaken({HOT: "60"}, posted(HOT, "50"), [row(), row(ROOM, False)])


def test_every_parameter_stands_in_its_group_once() -> None:
    rows = [row(name, declared.default) for name, declared in PARAMETERS.items()]
    names = [e.declared.environment for s in form.sections(rows, {}, {}) for e in s.entries]
    assert names == list(PARAMETERS)


def test_a_group_has_a_title_and_says_what_it_is_about() -> None:
    first = form.sections([row()], {}, {})[0]
    assert (first.title, first.help) == ("Scoring weights", "What each signal is worth, in points.")


@pytest.mark.parametrize(
    ("name", "kind", "step"),
    [
        (HOT, "number", "any"),
        ("FLEET_MAX_QUEUE", "number", "1"),
        (ROOM, "checkbox", ""),
        (KEY, "select", ""),
        (HOSTS, "text", ""),
    ],
)
def test_an_input_suits_its_parameter(name: str, kind: str, step: str) -> None:
    shown = entry(name=name, value=PARAMETERS[name].default)
    assert (shown.input, shown.step) == (kind, step)


def test_what_holds_is_in_the_input() -> None:
    assert entry(value=55.5).entered == "55.5"


def test_what_was_not_taken_stays_in_the_input_beside_the_reason() -> None:
    shown = entry(posted(HOT, "50", **{HOT: "hot"}), {HOT: "why"})
    assert (shown.entered, shown.value, shown.problem) == ("hot", "50", "why")


@pytest.mark.parametrize(("environment", "words"), [(None, "default 50"), (55.0, "environment 55")])
def test_an_override_stands_before_what_it_hides(environment: object, words: str) -> None:
    shown = entry(value=60.0, environment=environment, change=CHANGE)
    assert (shown.override, shown.without) == ("60", words)


def test_a_range_is_told_of_numbers_alone() -> None:
    assert [entry(name=n, value=PARAMETERS[n].default).range for n in (HOT, ROOM, KEY, HOSTS)] == [
        "0 to 1000",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_written_is_read_back(name: str) -> None:
    default = PARAMETERS[name].default
    assert parse({name: written(default)}) == {name: default}
