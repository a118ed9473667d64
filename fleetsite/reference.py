"""The documents that are made from the code: parameters, signals and filters."""

from collections.abc import Callable, Mapping
from inspect import getdoc

from fleetsite.parameters import SETTINGS, written
from fleetsite.tables import markdown
from nodes.lib.parameter import Parameter, parameters_of
from routing.core.filters import FILTERS
from routing.core.parameters import GROUPS
from routing.core.signals import SIGNALS

NOTICE = "<!-- Made by `manage.py document` from the code: change it there. -->"


def parameters_page() -> str:
    """docs/parameters.md: every group as a table, then what only the environment can say."""
    intro = (
        "The environment beats a default, and an operator's override beats both. "
        "An override is signed, dated and can be reverted: at `/admin/parameters/`, or with "
        "`PATCH /fleet/api/v1/parameters`. "
        "It is in force in every process within two seconds."
    )
    settings = markdown(("environment", "meaning"), [(f"`{name}`", text) for name, text in SETTINGS.items()])
    groups = [_group(group) for group in GROUPS]
    return _page("Parameters", intro, *groups, f"## Settings\n\nRead once, at the start.\n\n{settings}")


def signals_page() -> str:
    """docs/signals.md: the filters and the signals, in their order."""
    filters = markdown(("reason", "a node is out when"), [(f"`{row.reason}`", _says(row.applies)) for row in FILTERS])
    signals = markdown(("signal", "what it weighs"), [(f"`{row.name}`", _says(row.points)) for row in SIGNALS])
    return _page(
        "Filters and signals",
        "Every request is scored on every node that no filter removes; the highest sum wins. "
        "The numbers are in [parameters](parameters.md).",
        f"## Filters\n\nThe first that applies is the reason.\n\n{filters}",
        f"## Signals\n\n{signals}",
    )


PAGES: Mapping[str, Callable[[], str]] = {"docs/parameters.md": parameters_page, "docs/signals.md": signals_page}


def _page(title: str, *parts: str) -> str:
    return "\n\n".join((NOTICE, f"# {title}", *parts)) + "\n"


def _group(group: type) -> str:
    headings = ("environment", "default", "range", "unit", "meaning")
    rows = [(f"`{p.environment}`", written(p.default), range_of(p), p.unit, p.help) for p in parameters_of(group)]
    return f"## {group.__name__}\n\n{getdoc(group)}\n\n{markdown(headings, rows)}"


def range_of(p: Parameter) -> str:
    """What a parameter takes, in words."""
    if p.choices:
        return " · ".join(p.choices)
    if p.kind is bool:
        return "true · false"
    return f"{written(p.lo)} to {written(p.hi)}" if p.lo is not None or p.hi is not None else ""


def _says(function: Callable[..., object]) -> str:
    """A function's docstring on one line."""
    return " ".join((getdoc(function) or "").split())
