"""Lists as the control API answers them."""

from collections.abc import Mapping, Sequence
from typing import Any


def page(rows: Sequence[Mapping[str, Any]], following: str | None = None) -> dict[str, Any]:
    """The rows, and the URL of those that follow; null: these are all."""
    return {"results": list(rows), "next": following}
