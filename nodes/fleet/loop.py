"""The one event loop that owns this process's fleet, and the way to it from any other thread."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_loop: asyncio.AbstractEventLoop | None = None


def bind(loop: asyncio.AbstractEventLoop | None) -> None:
    """This loop owns the fleet of this process."""
    global _loop
    _loop = loop


def on_fleet_loop(work: Coroutine[Any, Any, T], timeout: float = 5.0) -> T:
    """Run a coroutine on the fleet's loop from another thread and wait for it; TimeoutError after `timeout` seconds.

    Never call it from the loop's own thread: it would wait for itself.
    """
    if _loop is None:
        work.close()
        raise RuntimeError("no fleet loop in this process")
    future = asyncio.run_coroutine_threadsafe(work, _loop)
    try:
        return future.result(timeout)
    except TimeoutError:
        future.cancel()
        raise
