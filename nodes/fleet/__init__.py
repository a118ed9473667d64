"""One fleet a process: `get_fleet()`."""

from nodes.fleet.port import FleetState

_fleet: FleetState | None = None


def get_fleet() -> FleetState:
    """The fleet of this process; RuntimeError before `use_fleet`."""
    if _fleet is None:
        raise RuntimeError("no fleet in this process: it belongs to `manage.py serve`")
    return _fleet


def use_fleet(fleet: FleetState | None) -> None:
    """From now on this is the fleet of this process."""
    global _fleet
    _fleet = fleet
