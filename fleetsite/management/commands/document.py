"""`manage.py document`: writes the documents that are made from the code."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from fleetsite.management.base import FleetCommand
from fleetsite.reference import PAGES

ROOT = Path(__file__).resolve().parents[3]


class Command(FleetCommand):
    """Write, or check, docs/parameters.md and docs/signals.md."""

    help = "Write the documents that are made from the code, or check that they are fresh."
    needs_database = False
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """`--check` and where."""
        parser.add_argument("--check", action="store_true", help="write nothing; fail if a document is stale")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write what differs; with `--check` CommandError names it instead."""
        stale = {name: page() for name, page in PAGES.items() if _text(ROOT / name) != page()}
        if options["check"] and stale:
            raise CommandError(f"Stale: {', '.join(stale)}. Run `make docs` and commit what it writes.")
        for name, text in stale.items():
            (ROOT / name).parent.mkdir(exist_ok=True)
            (ROOT / name).write_text(text)
            self.stdout.write(f"wrote {name}")


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
