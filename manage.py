#!/usr/bin/env python
"""Django's command line; every command takes `--data-dir DIR`."""

import os
import sys

from fleetsite.datadir import take_option


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetsite.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit("Django is not installed here. `make serve` installs everything and starts.") from error
    execute_from_command_line(take_option(sys.argv))


if __name__ == "__main__":
    main()
