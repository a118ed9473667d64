"""A simulated node in a thread of its own, for tests that are not coroutines."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nodes.simulated.server import SimulatedNode


@dataclass(frozen=True, slots=True)
class Running:
    """A node that runs in another thread."""

    node: SimulatedNode
    url: str
    loop: asyncio.AbstractEventLoop

    def do(self, act: Callable[[], Any], timeout: float = 10.0) -> Any:
        """What `act` returns, or what it returns once awaited, on the node's own loop; TimeoutError if it takes longer.

        `running.do(node.faults.hang)`, `running.do(node.kill)`.
        """
        return asyncio.run_coroutine_threadsafe(_act(act), self.loop).result(timeout)

    def wait_for(self, condition: Callable[[], object], timeout: float = 10.0) -> None:
        """Return as soon as the condition holds; TimeoutError after `timeout` seconds."""
        self.do(lambda: self.node.wait_for(condition, timeout), timeout + 1)


@contextmanager
def running(node: SimulatedNode, port: int = 0) -> Iterator[Running]:
    """The node, listening until the end of the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="simulated-node", daemon=True)
    thread.start()
    try:
        yield Running(node, _run(loop, node.start(port)), loop)
    finally:
        _run(loop, node.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run_coroutine_threadsafe(work, loop).result(10)


async def _act(act: Callable[[], Any]) -> Any:
    result = act()
    return await result if inspect.isawaitable(result) else result
