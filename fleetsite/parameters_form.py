"""The parameters page's form: what it shows of each parameter, and what of it was changed. Values in, values out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import getdoc
from typing import Any

from fleetsite.parameters import PARAMETERS, BadParameters, written
from fleetsite.reference import range_of
from nodes.lib.parameter import Parameter
from routing.core.parameters import GROUPS

Posted = Mapping[str, str]
Rows = Sequence[Mapping[str, Any]]
WAS, REVERT, OFF = "was-", "revert-", "false"
INPUTS: Mapping[type, str] = {bool: "checkbox", int: "number", float: "number", str: "text"}
STEPS: Mapping[type, str] = {int: "1", float: "any"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One parameter on the page: what holds, what was entered, and why that was not taken."""

    declared: Parameter
    value: str
    default: str
    environment: str | None
    override: str | None
    change: Mapping[str, Any] | None
    entered: str
    reverts: bool = False
    problem: str = ""

    @property
    def input(self) -> str:
        """The kind of its input: `select` where there are choices."""
        return "select" if self.declared.choices else INPUTS[self.declared.kind]

    @property
    def step(self) -> str:
        """By what a number is stepped."""
        return STEPS.get(self.declared.kind, "")

    @property
    def range(self) -> str:
        """What it takes, in words."""
        return "" if self.declared.choices or self.declared.kind is bool else range_of(self.declared)

    @property
    def changed_at(self) -> datetime | None:
        """When it was last changed."""
        return datetime.fromisoformat(self.change["at"]) if self.change else None

    @property
    def without(self) -> str:
        """What would hold without an override, and where that comes from."""
        return (
            f"default {shown(self.default)}" if self.environment is None else f"environment {shown(self.environment)}"
        )


@dataclass(frozen=True, slots=True)
class Section:
    """A group of parameters, with its heading."""

    id: str
    title: str
    help: str
    entries: Sequence[Entry]


def sections(rows: Rows, posted: Posted, problems: Mapping[str, str]) -> list[Section]:
    """The whole page, with what was entered where something was."""
    by_name = {row["name"]: _entry(row, posted, problems) for row in rows}
    return [_section(group, list(by_name.values())) for group in GROUPS]


def changes(posted: Posted) -> dict[str, str | None]:
    """What differs from what the page showed; None: reverted."""
    names = [name for name in PARAMETERS if WAS + name in posted]
    entered = {name: entry for name in names if (entry := entered_value(posted, name)) != posted[WAS + name].strip()}
    return {**entered, **{name: None for name in names if REVERT + name in posted}}


def entered_value(posted: Posted, name: str) -> str:
    """What the input of a parameter holds; a box that is not ticked sends nothing."""
    missing = OFF if PARAMETERS[name].kind is bool else posted[WAS + name]
    return posted.get(name, missing).strip()


def refuse_overtaken(wanted: Mapping[str, object], posted: Posted, rows: Rows) -> None:
    """BadParameters for what somebody else has changed since the page was shown."""
    now = {row["name"]: written(row["value"]) for row in rows}
    overtaken = {name: now[name] for name in wanted if posted[WAS + name].strip() != now[name]}
    if overtaken:
        raise BadParameters(
            {name: f"{name}: it has become {shown(value)} meanwhile; look again." for name, value in overtaken.items()}
        )


def shown(value: str) -> str:
    """A value for people: an empty text says so."""
    return value or "empty"


def _section(group: type, entries: Sequence[Entry]) -> Section:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", group.__name__).lower().capitalize()
    own = [entry for entry in entries if entry.declared.group is group]
    return Section(group.__name__, words, getdoc(group) or "", own)


def _entry(row: Mapping[str, Any], posted: Posted, problems: Mapping[str, str]) -> Entry:
    name, value = row["name"], written(row["value"])
    environment, override = row["environment"], row["override"]
    return Entry(
        declared=PARAMETERS[name],
        value=value,
        default=written(row["default"]),
        environment=None if environment is None else written(environment),
        override=None if override is None else written(override),
        change=row["last_change"],
        entered=entered_value(posted, name) if WAS + name in posted else value,
        reverts=REVERT + name in posted,
        problem=problems.get(name, ""),
    )
