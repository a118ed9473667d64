"""Which database: `DATABASE_URL`, else SQLite in the data directory."""

from pathlib import Path
from typing import Any

import dj_database_url

from fleetsite.datadir import Unusable

VARIABLE = "DATABASE_URL"
ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
TAKEN = f"{VARIABLE} is taken as postgres://USER:PASSWORD@HOST/NAME or sqlite:////PATH; unset, all is in --data-dir."


def database(directory: Path) -> dict[str, Any]:
    """Django's settings of the database; raises Unusable for one that this server does not speak."""
    try:
        found = dict(dj_database_url.config(VARIABLE, default=f"sqlite:///{directory / 'fleet.sqlite3'}"))
    except ValueError as error:
        raise Unusable(f"{VARIABLE} names no database. {TAKEN}") from error
    if found.get("ENGINE") not in ENGINES:
        raise Unusable(f"{VARIABLE} names a kind of database that is not supported. {TAKEN}")
    return found


def file_of(settings: dict[str, Any]) -> Path | None:
    """The file of an SQLite database; None for any other."""
    return Path(settings["NAME"]) if settings["ENGINE"] == ENGINES[0] else None
