import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from fleetsite import overrides
from fleetsite.models import ParameterOverride
from fleetsite.parameters import BadParameters
from nodes import changes

pytestmark = pytest.mark.django_db
NAME = "FLEET_SCORE_MODEL_HOT"


def in_force() -> dict[str, object]:
    """The overrides that hold now."""
    return overrides.in_force(overrides.latest())


def test_a_change_is_one_signed_row() -> None:
    author = User.objects.create_user("ada")
    overrides.change({NAME: "60"}, "warmer", author)
    row = ParameterOverride.objects.get()
    assert (row.name, row.value, row.note, row.author) == (NAME, 60.0, "warmer", author)


def test_the_last_change_is_in_force() -> None:
    overrides.change({NAME: 60})
    overrides.change({NAME: 70})
    assert in_force() == {NAME: 70}


def test_a_reverted_parameter_has_no_override() -> None:
    overrides.change({NAME: 60})
    overrides.change({NAME: None})
    assert in_force() == {}


def test_a_revert_keeps_the_history() -> None:
    overrides.change({NAME: 60})
    overrides.change({NAME: None})
    assert list(ParameterOverride.objects.values_list("value", flat=True)) == [60, None]


def test_off_is_a_value_and_no_revert() -> None:
    overrides.change({"FLEET_HOLD_MAKES_ROOM": False})
    assert in_force() == {"FLEET_HOLD_MAKES_ROOM": False}


def test_one_bad_value_and_nothing_is_changed() -> None:
    with pytest.raises(BadParameters):
        overrides.change({NAME: 60, "FLEET_MAX_QUEUE": -1})
    assert (ParameterOverride.objects.count(), changes.count()) == (0, 0)


def test_a_change_is_told_to_the_servers() -> None:
    overrides.change({NAME: 60, "FLEET_MAX_QUEUE": 9})
    assert changes.count() == 1


def test_the_version_rises_with_each_change() -> None:
    before = overrides.version()
    overrides.change({NAME: 60})
    assert overrides.version() > before


def test_each_change_knows_what_it_replaced() -> None:
    for value in (60, None, 70):
        overrides.change({NAME: value, "FLEET_MAX_QUEUE": 9})
    assert list(overrides.history(NAME).values_list("before", "value")) == [(None, 70), (60, None), (None, 60)]


def test_the_history_of_all_is_newest_first() -> None:
    overrides.change({NAME: 60})
    overrides.change({"FLEET_MAX_QUEUE": 9})
    assert [row.name for row in overrides.history()] == ["FLEET_MAX_QUEUE", NAME]


def test_a_change_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "fleetsite.overrides")
    overrides.change({NAME: 60}, "warmer")
    assert caplog.messages == [f"parameters changed by an operator of this machine: {NAME}: no override → 60. warmer"]


def test_what_a_person_changes_is_in_djangos_log() -> None:
    overrides.change({NAME: 60}, "warmer", User.objects.create_user("ada"))
    assert LogEntry.objects.get().change_message == f"{NAME}: no override → 60. warmer"


def test_what_the_control_token_changes_is_in_the_history_alone() -> None:
    overrides.change({NAME: 60})
    assert (ParameterOverride.objects.count(), LogEntry.objects.count()) == (1, 0)


@pytest.mark.parametrize("note", [7, None, "x" * 256, "a\0b"])
def test_a_note_that_can_not_be_kept_is_refused(note: object) -> None:
    with pytest.raises(BadParameters, match="at most 255 characters"):
        overrides.change({NAME: 60}, note)
