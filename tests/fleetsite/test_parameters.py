from collections.abc import Mapping
from typing import TypeVar, cast

import pytest

from fleetsite.parameters import PARAMETERS, SETTINGS, BadParameters, parse, resolve, unknown_names
from nodes.core.parameters import Liveness
from nodes.lib.parameter import parameters_of
from routing.core.parameters import GROUPS, EliminationPolicy, ScoringWeights

G = TypeVar("G")


def resolved(group: type[G], environ: Mapping[str, str], overrides: Mapping[str, object] | None = None) -> G:
    """One group as it would be in force."""
    return cast(G, next(value for value in resolve(environ, overrides or {}) if type(value) is group))


def test_every_group_is_resolved_once() -> None:
    assert tuple(type(value) for value in resolve({}, {})) == GROUPS


def test_every_environment_name_is_one_parameter() -> None:
    assert len(PARAMETERS) == sum(len(parameters_of(group)) for group in GROUPS)
    assert not PARAMETERS.keys() & SETTINGS.keys()


def test_every_default_is_a_value_that_its_parameter_takes() -> None:
    assert {name: p.parse(p.default) for name, p in PARAMETERS.items()} == {n: p.default for n, p in PARAMETERS.items()}


def test_without_a_word_the_default_is_in_force() -> None:
    assert resolved(Liveness, {}) == Liveness()


def test_the_environment_beats_the_default() -> None:
    assert resolved(Liveness, {"FLEET_POLL_INTERVAL": "0.5"}).poll_interval == 0.5


def test_an_override_beats_the_environment() -> None:
    assert resolved(ScoringWeights, {"FLEET_SCORE_MODEL_HOT": "1"}, {"FLEET_SCORE_MODEL_HOT": 2}).model_hot == 2


def test_an_override_of_off_beats_an_environment_of_on() -> None:
    name = "FLEET_PRESSURE_SPARES_RESIDENT"
    assert resolved(EliminationPolicy, {name: "true"}, {name: False}).pressure_spares_resident is False


def test_an_empty_text_in_the_environment_sets_nothing() -> None:
    assert resolved(Liveness, {"FLEET_POLL_INTERVAL": " "}) == Liveness()


def test_an_override_of_a_parameter_that_is_no_more_is_left_out() -> None:
    assert resolved(Liveness, {}, {"FLEET_GONE": 1}) == Liveness()


def test_every_bad_value_is_named_at_once() -> None:
    with pytest.raises(BadParameters) as caught:
        resolve({"FLEET_POLL_INTERVAL": "often", "FLEET_MAX_QUEUE": "0"}, {"FLEET_REQUIRE_API_KEY": "perhaps"})
    assert set(caught.value.problems) == {"FLEET_POLL_INTERVAL", "FLEET_MAX_QUEUE", "FLEET_REQUIRE_API_KEY"}
    assert "FLEET_POLL_INTERVAL: 'often' is not a number" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FLEET_POLL_INTERVAL", True),
        ("FLEET_POLL_INTERVAL", [1]),
        ("FLEET_POLL_INTERVAL", "nan"),
        ("FLEET_MAX_QUEUE", 1.5),
        ("FLEET_HOLD_MAKES_ROOM", 7),
        ("FLEET_TRUSTED_PROXIES", 7),
        ("FLEET_TRUSTED_PROXIES", "10.0.0.0/8, my-proxy"),
        ("FLEET_NO_SUCH", 1),
        ("FLEET_NO_SUCH", None),
    ],
)
def test_a_value_that_is_not_the_parameters_is_refused(name: str, value: object) -> None:
    with pytest.raises(BadParameters, match=name):
        parse({name: value})


def test_a_name_that_is_nearly_a_parameter_is_told_which() -> None:
    with pytest.raises(BadParameters, match="did you mean FLEET_POLL_INTERVAL"):
        parse({"FLEET_POLL_INTERVALL": 1})


def test_none_is_no_value_but_a_revert() -> None:
    assert parse({"FLEET_POLL_INTERVAL": None}) == {"FLEET_POLL_INTERVAL": None}


def test_a_name_that_means_nothing_is_told_with_the_nearest() -> None:
    environ = ["FLEET_POL_INTERVAL", "FLEET_XYZZY", "FLEET_POLL_INTERVAL", "FLEET_DATA_DIR", "PATH"]
    assert unknown_names(environ) == {"FLEET_POL_INTERVAL": "FLEET_POLL_INTERVAL", "FLEET_XYZZY": ""}
