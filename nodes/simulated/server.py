"""The node on a real socket: start, stop, die, refuse."""

import asyncio
from collections.abc import Callable, Iterable

from aiohttp import web

from nodes.simulated.answer import PARTS, Parts
from nodes.simulated.control import CONTROL_ROUTES, PREFIX, REFUSE
from nodes.simulated.engine import Engine
from nodes.simulated.faults import Answer, EngineError, Faults, Torn
from nodes.simulated.fronts import FRONTS, INFERENCE, Handler, routes_of
from nodes.simulated.machine import Machine, ModelFile, model_files
from nodes.simulated.seen import Received, Seen
from nodes.simulated.wire import JSON

LARGEST_BODY = 2**30
LOADING = "Loading model"


class SimulatedNode:
    """One engine on one machine. `seen` tells what it saw, `faults` makes things go wrong.

    `models` and `registry` (what can be pulled) are ModelFiles or a text such as `qwen2.5:7b=4.7,phi4=9.1`.
    """

    def __init__(
        self,
        models: str | Iterable[ModelFile] = "",
        machine: Machine | None = None,
        registry: str | Iterable[ModelFile] = "",
        control: bool = False,
    ) -> None:
        self.machine = machine or Machine()
        self.seen = Seen()
        self.faults = Faults(self.seen)
        self.engine = Engine(self.machine, _files(models), self.seen, self.faults)
        self.port = 0
        self._front = FRONTS[self.machine.engine]
        self._registry = {file.name: file for file in _files(registry)}
        self._control = control
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None
        self._ready_at = 0.0
        self._answering: set[asyncio.Transport | None] = set()
        self._refusing: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{self.machine.host}:{self.port}"

    @property
    def listening(self) -> bool:
        """Does it take connections?"""
        return self._site is not None

    async def start(self, port: int = 0) -> str:
        """Listen, on a free port if none is given; the URL. OSError if the port is taken."""
        self._runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.0)
        await self._runner.setup()
        self.port = port or self.port
        await self.accept()
        if self._front.resident:
            self._load_all()
        return self.url

    async def stop(self) -> None:
        """Stop as the engines do on SIGTERM: whatever runs is broken off. What was in memory is gone."""
        await self.kill()

    async def kill(self) -> None:
        """Every connection is torn, without a terminating chunk; nobody listens any more. It can be started again."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        await self._unlisten()
        self._tear(runner)
        await runner.cleanup()
        self.engine.close()
        if self._refusing is not None:
            self._refusing.cancel()

    async def refuse(self) -> None:
        """Refuse new connections and close idle ones; what runs goes on."""
        await self._unlisten()
        if self._runner is not None and self._runner.server is not None:
            for connection in self._runner.server.connections:
                connection.close()  # once it has answered; an idle one only stops to listen
                if connection.transport is not None and connection.transport not in self._answering:
                    connection.transport.close()

    async def accept(self) -> None:
        """Listen, again after `refuse`, on the same port."""
        if self._runner is None or self._site is not None:
            return
        self._site = web.TCPSite(self._runner, self.machine.host, self.port)
        await self._site.start()
        self.port = self._runner.addresses[0][1]
        self.seen.ring()

    async def wait_for(self, condition: Callable[[], object], timeout: float | None = 10.0) -> None:
        """Return as soon as the condition holds; TimeoutError after `timeout` seconds."""
        await self.seen.wait_for(condition, timeout)

    async def _unlisten(self) -> None:
        site, self._site = self._site, None
        if site is not None:
            await site.stop()

    def _tear(self, runner: web.AppRunner) -> None:
        for connection in runner.server.connections if runner.server is not None else ():
            if connection.transport is not None:
                connection.transport.abort()

    def _load_all(self) -> None:
        size = sum(file.size_gb for file in self.engine.files.values())
        rate = self.machine.load_gbps
        seconds = self.faults.slow_load * size / rate if rate else 0.0
        self._ready_at = asyncio.get_running_loop().time() + seconds
        self.engine.preload()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST_BODY, middlewares=[self._received])
        app[PARTS] = Parts(self.machine, self.engine, self.faults, self.seen, self._registry)
        app[REFUSE] = self._refuse_for
        for method, path, handler in routes_of(self.machine) + (CONTROL_ROUTES if self._control else ()):
            app.router.add_route(method, path, handler)
        app.on_response_prepare.append(self._dress)
        return app

    @web.middleware
    async def _received(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Every request passes here: noted, then answered, or refused in the engine's own words."""
        if request.path.startswith(PREFIX):
            return await self._answered(request, handler)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.received.append(Received(request.method, request.path, headers, await request.read()))
        self.seen.note(self.seen.requests, request.path)
        refused = self._front.at_the_door(request, self.machine.host)
        transport = request.transport
        self._answering.add(transport)
        try:
            return refused or await self._answered(request, handler)
        finally:
            self._answering.discard(transport)

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._check_loading()
            planned = self.faults.next_answer() if request.path in INFERENCE else None
            return await handler(request) if planned is None else self._planned(request, planned)
        except EngineError as error:
            return self._front.error(request.path, error)
        except Torn:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed) as error:
            return self._front.no_route(error)

    def _check_loading(self) -> None:
        if self._front.resident and asyncio.get_running_loop().time() < self._ready_at:
            raise EngineError(503, LOADING)

    def _planned(self, request: web.Request, planned: Answer) -> web.Response:
        if isinstance(planned.body, bytes):
            return web.Response(body=planned.body, status=planned.status, headers={"Content-Type": JSON})
        return self._front.error(request.path, EngineError(planned.status, planned.body))

    async def _dress(self, request: web.Request, response: web.StreamResponse) -> None:
        self._front.dress(response)

    def _refuse_for(self, seconds: float) -> None:
        self._refusing = asyncio.create_task(self._refuse_a_while(seconds))

    async def _refuse_a_while(self, seconds: float) -> None:
        await self.refuse()
        await asyncio.sleep(seconds)
        await self.accept()


def _files(models: str | Iterable[ModelFile]) -> tuple[ModelFile, ...]:
    return model_files(models) if isinstance(models, str) else tuple(models)
