"""Overrides of parameters: read, and changed by appending."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F, Max, QuerySet, Window
from django.db.models.functions import Lag

from fleetsite.models import ParameterOverride
from fleetsite.parameters import BadParameters, parse, written
from nodes.changes import bump

log = logging.getLogger(__name__)
RIGHT = "fleetsite.add_parameteroverride"  # what a user needs to change parameters
LONGEST_NOTE = 255


def latest() -> dict[str, ParameterOverride]:
    """The last change of every parameter that was ever changed."""
    last = ParameterOverride.objects.values("name").annotate(last=Max("id")).values("last")
    return {row.name: row for row in ParameterOverride.objects.filter(id__in=last).select_related("author")}


def in_force(changes: Mapping[str, ParameterOverride]) -> dict[str, Any]:
    """The values of the last changes that were no reverts."""
    return {name: row.value for name, row in changes.items() if row.value is not None}


def history(name: str | None = None) -> QuerySet[ParameterOverride]:
    """Every change, of one parameter or of all, newest first; `before` is the override that it replaced, or None."""
    before = Window(Lag("value"), partition_by=F("name"), order_by=F("id").asc())
    rows = ParameterOverride.objects.filter(**({"name": name} if name else {}))
    return rows.annotate(before=before).select_related("author").order_by("-id")


def version() -> int:
    """How many changes there have been: the version of the parameters that a decision was made with."""
    return ParameterOverride.objects.aggregate(last=Max("id"))["last"] or 0


@transaction.atomic
def change(values: Mapping[str, object], note: object = "", author: Any = None) -> None:
    """Override parameters; None reverts one. All or, with BadParameters, nothing."""
    words, parsed = _note(note), parse(values)
    before = in_force(latest())
    rows = ParameterOverride.objects.bulk_create(
        ParameterOverride(name=name, value=value, note=words, author=author) for name, value in parsed.items()
    )
    said = {row.pk: _said(row, before) for row in rows}
    log.info("parameters changed by %s: %s", author or "an operator of this machine", "; ".join(said.values()))
    if author is not None:
        _log(rows, said, author)
    bump()


def _note(note: object) -> str:
    if not isinstance(note, str) or len(note) > LONGEST_NOTE or "\0" in note:
        raise BadParameters({"note": f"The note is a text of at most {LONGEST_NOTE} characters."})
    return note.strip()


def _said(row: ParameterOverride, before: Mapping[str, object]) -> str:
    return f"{row.name}: {step(before.get(row.name), row.value)}" + (f". {row.note}" if row.note else "")


def _log(rows: Sequence[ParameterOverride], said: Mapping[int, str], author: Any) -> None:
    """In Django's own log too, beside whatever else this person changed."""
    kind = ContentType.objects.get_for_model(ParameterOverride)
    LogEntry.objects.bulk_create(
        LogEntry(
            user_id=author.pk,
            content_type=kind,
            object_id=str(row.pk),
            object_repr=row.name,
            action_flag=CHANGE,
            change_message=said[row.pk],
        )
        for row in rows
    )


def step(before: object, after: object) -> str:
    """From one override to the next, in words."""
    return " → ".join("no override" if value is None else written(value) or "empty" for value in (before, after))
