"""A parameter: a typed dataclass field that knows its environment name, default, range, unit and help."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

G = TypeVar("G")
Value = float | int | bool | str
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class BadParameter(ValueError):
    """A value that its parameter does not take; the message says why, in the operator's words."""


@dataclass(frozen=True, slots=True)
class ParametersVersion:
    """How many signed changes made the parameters now in force: what a decision says it was made with."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter, as forms, checks and documents need it."""

    group: type
    name: str
    kind: type
    default: Value
    environment: str
    help: str
    unit: str
    lo: float | None
    hi: float | None
    choices: tuple[str, ...]

    def parse(self, given: object) -> Value:
        """The value of this parameter's type; raises BadParameter on anything else."""
        try:
            value = CONVERTERS[self.kind](given)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadParameter(f"{self.environment}: {given!r} is not {NOUNS[self.kind]}") from error
        return self.check(value)

    def check(self, value: Value) -> Value:
        """The same value if it is in range, else BadParameter."""
        if self.choices and value not in self.choices:
            raise BadParameter(f"{self.environment}: {value!r} is none of {', '.join(self.choices)}")
        low = self.lo is not None and not isinstance(value, str) and value < self.lo
        high = self.hi is not None and not isinstance(value, str) and value > self.hi
        if low or high:
            raise BadParameter(f"{self.environment}: {value} is outside {self.lo} to {self.hi}")
        return value


def parameter(
    default: Any,
    environment: str,
    help: str,
    *,
    lo: float | None = None,
    hi: float | None = None,
    unit: str = "",
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare a parameter as a dataclass field."""
    notes = {"environment": environment, "help": help, "unit": unit}
    limits = {"lo": lo, "hi": hi, "choices": choices}
    return field(default=default, metadata={"parameter": notes | limits})


def parameters_of(group: type) -> tuple[Parameter, ...]:
    """Every parameter that a group declares, in its order."""
    return tuple(_described(group, f) for f in fields(group) if "parameter" in f.metadata)


def build(group: type[G], values: Mapping[str, Value]) -> G:
    """The group with some of its parameters set, by environment name; the rest keep their defaults."""
    named = {p.name: values[p.environment] for p in parameters_of(group) if p.environment in values}
    return group(**named)


def _described(group: type, declared: "Field[Any]") -> Parameter:
    default: Any = declared.default
    return Parameter(group, declared.name, type(default), default, **declared.metadata["parameter"])


def _number(given: object) -> float:
    if isinstance(given, bool):
        raise TypeError("a boolean is no number")
    value = float(given)  # type: ignore[arg-type]
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("not finite")
    return value


def _integer(given: object) -> int:
    value = _number(given)
    if value != int(value):
        raise ValueError("not whole")
    return int(value)


def _boolean(given: object) -> bool:
    text = str(given).strip().lower()
    if text not in TRUE | FALSE:
        raise ValueError("not a boolean")
    return text in TRUE


def _text(given: object) -> str:
    if not isinstance(given, str) or "\0" in given:  # no database keeps such a text
        raise TypeError("not a text")
    return given.strip()


CONVERTERS: Mapping[type, Any] = {float: _number, int: _integer, bool: _boolean, str: _text}
NOUNS: Mapping[type, str] = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
