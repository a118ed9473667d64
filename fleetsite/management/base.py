"""What all commands share: the data directory and the database in it."""

import os
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from fleetsite.database import VARIABLE, file_of
from fleetsite.datadir import Unusable, alone, data_dir, make


class FleetCommand(BaseCommand):
    """A command on the data directory. `manage.py` takes `--data-dir` before settings are made from it."""

    needs_database = True  # made, and brought up to date, before the command runs
    only_look = frozenset({"list"})  # actions for which no database is made

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """The command's own parser, with `--data-dir`."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        help_text = "Where all state is kept (default: FLEET_DATA_DIR or ./data)."
        parser.add_argument("--data-dir", metavar="DIR", help=help_text)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; on a fresh machine it finds its database ready."""
        if self.needs_database:
            try:
                self._prepare(self.directory(options), options)
            except (Unusable, OperationalError) as error:
                raise CommandError(_words(error, self.directory(options))) from error
        return super().execute(*args, **options)

    def directory(self, options: dict[str, Any]) -> Path:
        """The data directory of this run."""
        return Path(options["data_dir"]) if options.get("data_dir") else data_dir()

    def _prepare(self, directory: Path, options: dict[str, Any]) -> None:
        file = file_of(connection.settings_dict)
        if options.get("action") in self.only_look and file is not None and not file.exists():
            raise Unusable(f"There is no database in {directory}: no router was ever started there. Is it --data-dir?")
        make(directory)
        with alone(directory):  # of several that start on a new directory one makes the tables
            migrate()


def _words(error: Exception, directory: Path) -> str:
    if isinstance(error, Unusable):
        return str(error)
    remedy = "Check DATABASE_URL." if os.environ.get(VARIABLE) else f"May this user read and write {directory}?"
    return f"The database can't be used: {error}. {remedy}"


def migrate() -> None:
    """Apply the migrations that are missing, if any."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
