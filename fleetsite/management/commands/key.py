"""`manage.py key`: API keys."""

import argparse
import json
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from fleetsite.management.base import FleetCommand
from routing import keys, presenters
from routing.models import ApiKey

COLUMNS = ("name", "prefix", "models", "pull", "rpm", "max_in_flight", "expires_at", "revoked_at")


class Command(FleetCommand):
    """Create, list and revoke API keys."""

    help = "API keys: who may use this router from other machines, and for what."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        actions = parser.add_subparsers(dest="action", required=True, metavar="create | list | revoke")
        _describe_create(actions.add_parser("create", help="Make a key and print it, this once."))
        listing = actions.add_parser("list", help="Show every key, never its secret.")
        listing.add_argument("--json", action="store_true", help="As JSON.")
        actions.add_parser("revoke", help="Take a key out of force.").add_argument("name")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            getattr(self, action)(**options)
        except keys.KeyProblem as problem:
            raise CommandError(str(problem)) from problem

    def create(self, name: str, expires: str | None, models: str, **options: Any) -> None:
        limits = {limit: options[limit] for limit in ("pull", "rpm", "max_in_flight")}
        expires_at = timezone.now() + keys.duration(expires) if expires else None
        self.stdout.write(keys.create(name, models=models.split(","), expires_at=expires_at, **limits))

    def list(self, json: bool, **options: Any) -> None:
        rows = [_shown(key) for key in ApiKey.objects.all()]
        self.stdout.write(_as_json(rows) if json else _as_table(rows))

    def revoke(self, name: str, **options: Any) -> None:
        keys.revoke(name)
        self.stderr.write(f"revoked {name}: it opens nothing from now on")


def _describe_create(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="What to call it; a decision names the key it came with.")
    parser.add_argument("--models", default="", help="Only these, comma-separated; all without it.")
    parser.add_argument("--pull", action="store_true", help="May have models pulled that no node has.")
    parser.add_argument("--rpm", type=_count, help="Requests a minute, at most.")
    parser.add_argument("--max-in-flight", type=_count, help="Requests at once, at most.")
    parser.add_argument("--expires", metavar="30d", help="In force for so many days, hours (12h) or minutes (90m).")


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _shown(key: ApiKey) -> dict[str, Any]:
    values = {column: getattr(key, column) for column in (*COLUMNS, "created_at")}
    return {name: presenters.iso(value) if isinstance(value, datetime) else value for name, value in values.items()}


def _as_json(rows: list[dict[str, Any]]) -> str:
    return json.dumps(rows, indent=2)


def _as_table(rows: list[dict[str, Any]]) -> str:
    lines = [COLUMNS, *(tuple(_cell(row[column]) for column in COLUMNS) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _cell(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else "-" if value is None else str(value)
