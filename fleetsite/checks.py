"""System checks: what the environment says must mean something."""

import os
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register

from fleetsite.parameters import BadParameters, empty_names, resolve, unknown_names


@register()
def environment_values(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """An error for each value that its parameter does not take."""
    try:
        resolve(os.environ, {})
    except BadParameters as error:
        return [
            Error(text, hint="docs/parameters.md has all ranges.", id="fleetsite.E001")
            for text in error.problems.values()
        ]
    return []


@register()
def environment_names(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A warning for each name that looks like a parameter and is none."""
    return [
        Warning(f"{name} in the environment means nothing here.", hint=_hint(nearest), id="fleetsite.W001")
        for name, nearest in unknown_names(os.environ).items()
    ]


@register()
def environment_empty(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A warning for each parameter that is set to nothing."""
    hint = "Give it a value, or unset it."
    return [
        Warning(f"{name} in the environment is empty: its default is in force.", hint=hint, id="fleetsite.W002")
        for name in empty_names(os.environ)
    ]


def _hint(nearest: str) -> str:
    return f"Did you mean {nearest}?" if nearest else "docs/parameters.md has all names."
