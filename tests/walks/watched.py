"""`manage.py`, with every statement of every database connection written down: `python -m tests.walks.watched …`.

One line a statement in the file that WATCHED names: the thread, then the statement's beginning.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db.backends.signals import connection_created

from manage import main

SHOWN = 120  # characters


def watch(file: Path) -> None:
    """From now on each new connection tells of its statements."""
    notes = file.open("a", buffering=1)

    def tell(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        notes.write(f"{threading.current_thread().name}\t{' '.join(sql.split())[:SHOWN]}\n")
        return execute(sql, params, many, context)

    def watched(connection: Any, **_: Any) -> None:
        if tell not in connection.execute_wrappers:
            connection.execute_wrappers.append(tell)

    connection_created.connect(watched, weak=False)


if __name__ == "__main__":
    watch(Path(os.environ["WATCHED"]))
    main()
