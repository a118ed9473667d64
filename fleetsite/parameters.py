"""Every parameter of the house, and the one place where defaults, environment and overrides meet."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from nodes.lib.hosts import origins
from nodes.lib.local import networks
from nodes.lib.parameter import BadParameter, Parameter, Value, build, parameters_of
from routing.core.parameters import GROUPS

PARAMETERS: Mapping[str, Parameter] = {p.environment: p for group in GROUPS for p in parameters_of(group)}
FORMS: Mapping[str, Callable[[str], object]] = {  # texts that must be well-formed
    "FLEET_TRUSTED_PROXIES": networks,
    "FLEET_CORS_ORIGINS": origins,
}

SETTINGS: Mapping[str, str] = {
    "FLEET_DATA_DIR": "Where all state is kept; `--data-dir` sets it too. Default: `data`.",
    "FLEET_ADMIN_PASSWORD": "The admin's password, set at the first start instead of a random one.",
    "FLEET_API_KEY": "The first API key, set at the first start instead of a random one.",
    "FLEET_ENROLMENT_TOKEN": "The first enrolment token, set at the first start instead of a random one.",
    "FLEET_REDIS_URL": "Redis: where the messages of background work go when it runs in processes of its own.",
    "FLEET_SECRET_KEY": "The server's secret, instead of the one made in the data directory.",
    "DATABASE_URL": "The database, as in `postgres://USER:PASSWORD@HOST/NAME`. Default: SQLite in the data directory.",
}


class BadParameters(BadParameter):
    """Every value that its parameter does not take: `problems` by environment name, all in one message."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = problems


def resolve(environ: Mapping[str, str], overrides: Mapping[str, object]) -> list[object]:
    """Every group with the values in force: default < environment < override. Raises BadParameters."""
    values = merge(environ, overrides)
    return [build(group, values) for group in GROUPS]


def merge(environ: Mapping[str, str], overrides: Mapping[str, object]) -> dict[str, Value]:
    """The values that differ in source from the defaults, the override before the environment. Raises BadParameters."""
    values = parse({**from_environment(environ), **known(overrides)})
    return {name: value for name, value in values.items() if value is not None}


def from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The parameters that the environment sets; an empty text sets nothing."""
    return {name: environ[name] for name in PARAMETERS if environ.get(name, "").strip()}


def empty_names(environ: Mapping[str, str]) -> list[str]:
    """Parameters that the environment sets to nothing, which leaves their defaults in force; texts may be empty."""
    named = [name for name, declared in PARAMETERS.items() if name in environ and declared.default != ""]
    return [name for name in named if not environ[name].strip()]


def known(overrides: Mapping[str, object]) -> dict[str, object]:
    """The overrides of parameters that there (still) are."""
    return {name: value for name, value in overrides.items() if name in PARAMETERS}


def parse(given: Mapping[str, object]) -> dict[str, Value | None]:
    """The values in their parameters' types, None as it is; BadParameters names all that are unknown or not taken."""
    values: dict[str, Value | None] = {}
    problems: dict[str, str] = {}
    for name, raw in given.items():
        try:
            declared = _parameter(name)
            values[name] = None if raw is None else _well_formed(name, declared.parse(raw))
        except BadParameter as error:
            problems[name] = str(error)
    if problems:
        raise BadParameters(problems)
    return values


def written(value: object) -> str:
    """A value as one writes it into the environment or a form: `true`, `50`, `0.25`; `parse` reads it back."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def unknown_names(environ: Iterable[str]) -> dict[str, str]:
    """Names that look like ours and mean nothing, each with the nearest that does, or an empty text."""
    meant = [*PARAMETERS, *SETTINGS]
    strange = sorted(name for name in environ if name.startswith("FLEET_") and name not in meant)
    return {name: next(iter(get_close_matches(name, meant, 1, cutoff=0.8)), "") for name in strange}


def _well_formed(name: str, value: Value) -> Value:
    """The same value; BadParameter for a text that has not the form its parameter wants."""
    try:
        FORMS.get(name, str)(str(value))
    except ValueError as error:
        raise BadParameter(f"{name}: {error}") from error
    return value


def _parameter(name: str) -> Parameter:
    if name not in PARAMETERS:
        nearest = unknown_names([name]).get(name)
        raise BadParameter(f"{name} is no parameter" + (f"; did you mean {nearest}?" if nearest else ""))
    return PARAMETERS[name]
