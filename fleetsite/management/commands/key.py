"""`manage.py key`: API keys."""

import argparse
import json
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from fleetsite.management.base import FleetCommand
from fleetsite.tables import table
from routing import keys
from routing.models import ApiKey
from routing.presenters import API_KEY, api_key

COLUMNS = tuple(name for name in API_KEY if name != "created_at")


class Command(FleetCommand):
    """Create, list and revoke API keys."""

    help = "API keys: who may use this router from other machines, and for what."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command an action."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="create | list | revoke")
        _describe_create(actions.add_parser("create", help="Make a key and print it, this once."))
        listing = actions.add_parser("list", help="Show every key, never its secret.")
        listing.add_argument("--json", action="store_true", help="As JSON.")
        actions.add_parser("revoke", help="Take a key out of force.").add_argument("name")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        """Do the action; CommandError says what is wrong and what to do."""
        try:
            getattr(self, action)(**options)
        except keys.KeyProblem as problem:
            raise CommandError(str(problem)) from problem

    def create(self, name: str, expires: str | None, models: str | None, **options: Any) -> None:
        """Make a key and print it, alone on stdout."""
        limits = {limit: options[limit] for limit in ("pull", "rpm", "max_in_flight")}
        expires_at = timezone.now() + keys.duration(expires) if expires is not None else None
        self.stdout.write(keys.create(name, models=_named(models), expires_at=expires_at, **limits))

    def list(self, **options: Any) -> None:
        """Every key, in force or not."""
        rows = [api_key(key) for key in ApiKey.objects.all()]
        cells = [[_cell(row[column]) for column in COLUMNS] for row in rows]
        self.stdout.write(json.dumps(rows, indent=2) if options["json"] else table(COLUMNS, cells))

    def revoke(self, name: str, **options: Any) -> None:
        """Take a key out of force."""
        keys.revoke(name)
        self.stdout.write(f"{name} revoked: it opens nothing from now on")


def _describe_create(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="What to call it; a decision names the key it came with.")
    parser.add_argument("--models", help="Only these, comma-separated; all without it.")
    parser.add_argument("--pull", action="store_true", help="May have models pulled that no node has.")
    parser.add_argument("--rpm", type=_count, help="Requests a minute, at most.")
    parser.add_argument("--max-in-flight", type=_count, help="Requests at once, at most.")
    parser.add_argument("--expires", metavar="30d", help="In force for so many days, hours (12h) or minutes (90m).")


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _named(models: str | None) -> list[str]:
    names = [name for name in (models or "").split(",") if name.strip()]
    if models is not None and not names:
        raise keys.KeyProblem("--models names no model: leave it out to allow all.")
    return names


def _cell(value: Any) -> str:
    return "-" if value in (None, []) else ",".join(value) if isinstance(value, list) else str(value)
