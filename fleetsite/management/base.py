"""What all commands share: the data directory and the database in it."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from fleetsite.datadir import data_dir, make


class FleetCommand(BaseCommand):
    """A command on the data directory. `manage.py` takes `--data-dir` before settings are made from it."""

    needs_database = True  # made, and brought up to date, before the command runs

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """The command's own parser, with `--data-dir`."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        help_text = "Where all state is kept (default: FLEET_DATA_DIR or ./data)."
        parser.add_argument("--data-dir", metavar="DIR", help=help_text)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; on a fresh machine it finds its database ready."""
        if self.needs_database:
            make(self.directory(options))
            migrate()
        return super().execute(*args, **options)

    def directory(self, options: dict[str, Any]) -> Path:
        """The data directory of this run."""
        return Path(options["data_dir"]) if options.get("data_dir") else data_dir()


def migrate() -> None:
    """Apply the migrations that are missing, if any."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
