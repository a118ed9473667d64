import pytest

from fleetsite.checks import environment_names, environment_values


def test_a_clean_environment_passes() -> None:
    assert environment_values(None) == []


def test_a_bad_value_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_POLL_INTERVAL", "-1")
    (found,) = environment_values(None)
    assert (found.id, found.msg) == ("fleetsite.E001", "FLEET_POLL_INTERVAL: -1.0 is outside 0.05 to 300")


def test_a_misspelt_name_is_a_warning_with_the_right_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_POLL_INTERVALL", "1")
    hints = {found.msg: found.hint for found in environment_names(None)}
    assert hints["FLEET_POLL_INTERVALL in the environment means nothing here."] == "Did you mean FLEET_POLL_INTERVAL?"


def test_a_name_that_is_a_setting_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_DATA_DIR", "/srv/fleet")
    assert not any("FLEET_DATA_DIR" in found.msg for found in environment_names(None))
