#!/usr/bin/env python
"""Django's command line; every command takes `--data-dir DIR`."""

import os
import sys

from fleetsite.datadir import Unusable, take_option


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetsite.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit("Django is not installed here. `make serve` installs everything and starts.") from error
    try:
        execute_from_command_line(take_option(sys.argv))
    except (Unusable, ImproperlyConfigured) as error:  # met while the settings were made
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
