#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetsite.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit("Django is not installed here. `make serve` installs everything and starts.") from error
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
