"""Work for the database, off the serving loop: one thread, one connection, in order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from django.db import close_old_connections

T = TypeVar("T")
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")


async def behind(work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """The result of `work(*args)`, run in the database thread; the loop goes on meanwhile."""
    return await asyncio.get_running_loop().run_in_executor(_thread, partial(_connected, work, *args, **kwargs))


def _connected(work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """No request begins or ends in this thread, so a connection that broke is given up here."""
    close_old_connections()
    return work(*args, **kwargs)
