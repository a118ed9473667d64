"""The end of a server: nothing new comes in, what waits is told to try again, what runs may finish."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from nodes.lib.live import current
from routing.core.parameters import QueuePolicy
from routing.core.problems import Problem
from routing.recorder import Trace

_under_way: dict[str, tuple[Trace, "asyncio.Task[None]"]] = {}
_stopping = False


def stopping() -> Problem:
    """What is said to whom a stopping server does not answer any more."""
    return Problem("interrupted", 503, "this router is shutting down; try again", current(QueuePolicy).retry_after)


def accepting() -> None:
    """Raises Problem once the server is stopping."""
    if _stopping:
        raise stopping()


@contextmanager
def under_way(trace: Trace) -> Iterator[None]:
    """This task serves this request."""
    task = asyncio.current_task()
    assert task is not None
    _under_way[trace.id] = (trace, task)
    try:
        yield
    finally:
        del _under_way[trace.id]


def stop_accepting() -> None:
    """From now on requests get 503; those that wait get it at once, those that run go on."""
    global _stopping
    _stopping = True
    for trace, task in list(_under_way.values()):
        if trace.waiting and not trace.started:
            task.cancel("server stopping")
