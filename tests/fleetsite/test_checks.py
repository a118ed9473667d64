import pytest

from fleetsite.checks import environment_empty, environment_names, environment_values


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


def test_an_empty_value_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_MAX_BODY_MB", "")
    (found,) = environment_empty(None)
    assert found.msg == "FLEET_MAX_BODY_MB in the environment is empty: its default is in force."


def test_an_empty_text_may_be_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_CORS_ORIGINS", "")
    assert environment_empty(None) == []


def test_an_origin_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_CORS_ORIGINS", "https://chat.example.com, foo")
    (found,) = environment_values(None)
    assert found.msg == "FLEET_CORS_ORIGINS: 'foo' is no web origin: write http://HOST, https://HOST:PORT or *"
