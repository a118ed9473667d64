"""Times as the control API writes them."""

from datetime import UTC, datetime


def iso(epoch: float | None) -> str | None:
    """ISO 8601 in UTC, of epoch seconds; None for a time that is not known (None or 0)."""
    return (
        datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if epoch else None
    )
