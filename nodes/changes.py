"""How every process learns that something it holds was changed: one counter, looked at once a second."""

from django.db.models import F

from nodes.models import ChangeCounter

THE_ROW = 1


def bump() -> None:
    """Say that what servers hold has changed; call it in the transaction of the change."""
    row = ChangeCounter.objects.filter(pk=THE_ROW)
    if not row.update(value=F("value") + 1):
        ChangeCounter.objects.get_or_create(pk=THE_ROW)
        row.update(value=F("value") + 1)


def count() -> int:
    """How many changes there have been."""
    return ChangeCounter.objects.filter(pk=THE_ROW).values_list("value", flat=True).first() or 0
