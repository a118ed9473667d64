"""Overrides of parameters: read, and changed by appending."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max

from fleetsite.models import ParameterOverride
from fleetsite.parameters import parse
from nodes.changes import bump


def latest() -> dict[str, ParameterOverride]:
    """The last change of every parameter that was ever changed."""
    last = ParameterOverride.objects.values("name").annotate(last=Max("id")).values("last")
    return {row.name: row for row in ParameterOverride.objects.filter(id__in=last).select_related("author")}


def in_force(changes: Mapping[str, ParameterOverride]) -> dict[str, Any]:
    """The values of the last changes that were no reverts."""
    return {name: row.value for name, row in changes.items() if row.value is not None}


def version() -> int:
    """How many changes there have been: the version of the parameters that a decision was made with."""
    return ParameterOverride.objects.aggregate(last=Max("id"))["last"] or 0


@transaction.atomic
def change(values: Mapping[str, object], note: str = "", author: Any = None) -> None:
    """Override parameters; None reverts one. All or, with BadParameters, nothing."""
    ParameterOverride.objects.bulk_create(
        ParameterOverride(name=name, value=value, note=note, author=author) for name, value in parse(values).items()
    )
    bump()
