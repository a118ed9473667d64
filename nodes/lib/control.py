"""The token with which this machine's own commands talk to the running server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ControlToken:
    """Made anew at each start, kept in `server.json` (0600). Empty: none."""

    value: str = ""
