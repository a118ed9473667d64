"""A look at the fleet for whoever may be in a process without one."""

from nodes.core.values import FleetSnapshot
from nodes.fleet import get_fleet


def glance() -> FleetSnapshot | None:
    """The fleet now; None in a process that has none."""
    try:
        return get_fleet().snapshot()
    except RuntimeError:
        return None
