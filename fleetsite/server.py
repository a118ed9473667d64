"""uvicorn, run from inside: our ready line, our order of stopping, our exit status."""

import contextlib
import gc
import math
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from nodes.lib.live import current
from routing.core.parameters import FailurePolicy
from routing.shutdown import stop_accepting


class StartFailed(Exception):
    """Something that must live in the server's process could not be started."""


class Server(uvicorn.Server):
    """A server that says when it is ready and drains when it is told to stop."""

    def __init__(self, application: Any, ready: Callable[[], None]) -> None:
        super().__init__(uvicorn.Config(application, **OPTIONS))
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start what lives in the process, then serve; raises StartFailed."""
        try:
            await super().startup(sockets)
        except SystemExit as error:  # uvicorn's way to say that the lifespan failed
            raise StartFailed("The server did not start; the log above says why.") from error
        settle()
        if not self.should_exit:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, answer what waits, finish what runs for as long as it may, then stop what lives here."""
        stop_accepting()
        self.config.timeout_graceful_shutdown = math.ceil(current(FailurePolicy).drain)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM and SIGINT end the server, not the process: uvicorn would raise them again afterwards."""
        with super().capture_signals():
            try:
                yield
            finally:
                self._captured_signals.clear()


def settle() -> None:
    """What start-up made lives as long as the process: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


def serve(application: Any, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until a signal; raises StartFailed."""
    Server(application, ready).run([listening])


RARELY = (20_000, 20, 20)  # allocations between collections: a request makes some hundreds, nearly all without cycles

OPTIONS: dict[str, Any] = {
    "loop": "auto",  # uvloop where there is one
    "http": "httptools",
    "ws": "websockets-sansio",
    "ws_max_size": 65536,  # bytes; no page has more to say
    "lifespan": "on",
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,  # who is local is decided by our own rule (FLEET_TRUSTED_PROXIES)
}
