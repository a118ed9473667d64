"""`manage.py explain`: why a request would go where it goes, from a fleet written down as JSON."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser

from fleetsite.management.base import FleetCommand
from routing.core.explain import explain

STANDARD_INPUT = "-"


class Command(FleetCommand):
    """Answer each case on a line of its own; status 1 if any could not be read."""

    help = "Rank the nodes of each case (JSON lines) as the router would, and say why. No server, no database."
    needs_database = False
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Where the cases are."""
        parser.add_argument("file", metavar="FILE", help="a file of JSON lines, one case each; - is standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line out for each case in, as it comes."""
        failed = False
        for answer in answers(_lines(options["file"])):
            self.stdout.write(json.dumps(answer))
            self.stdout.flush()
            failed = failed or "error" in answer
        if failed:
            sys.exit(1)


def answers(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The answer to each line that is not blank; one that is no JSON is answered with an error."""
    return (_answer(line) for line in lines if line.strip())


def _answer(line: bytes) -> dict[str, Any]:
    try:
        return explain(json.loads(line))
    except (ValueError, RecursionError) as error:
        return {"error": f"not JSON: {error}"}


def _lines(file: str) -> Iterator[bytes]:
    if file == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with _opened(Path(file)) as opened:
        yield from opened


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}. Give a file of JSON lines, or - for standard input.") from error
