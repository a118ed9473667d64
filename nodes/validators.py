"""What a field of a node may hold, for forms and commands alike."""

import math

from django.core.exceptions import ValidationError


def node_name(value: str) -> None:
    """Refuse what can't stand in a path, a header or a table."""
    if not value.strip() or value != value.strip() or not value.isprintable() or "/" in value or len(value) > 64:
        raise ValidationError(f"{value!r} can't be a node's name: 1 to 64 printable characters without a slash.")


def positive(value: float) -> None:
    """Refuse zero, less, and what is no number."""
    if not (value > 0 and math.isfinite(value)):
        raise ValidationError(f"{value} is not above 0: give the real figure, or none if it is not known.")
