"""What the tests of this folder share: a fleet that records, engines that answer from tables, waiting for a fact."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from aiohttp import web

from nodes.core.configs import NodeConfig
from nodes.core.values import FleetSnapshot, NodeSnapshot

NOW = 1_796_068_000.0


class RecordingFleet:
    """As much of a fleet as readers of nodes touch."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSnapshot] = {}
        self.puts: list[NodeSnapshot] = []
        self.order: list[str] = []

    def snapshot(self) -> FleetSnapshot:
        return FleetSnapshot(now=NOW, nodes=tuple(self.nodes.values()))

    def node(self, node_id: str) -> NodeSnapshot | None:
        return self.nodes.get(node_id)

    async def put_node(self, node: NodeSnapshot) -> None:
        self.puts.append(node)
        self.nodes[node.id] = node

    async def drop_node(self, node_id: str) -> None:
        self.nodes.pop(node_id, None)

    async def order_nodes(self, ids: Sequence[str]) -> None:
        self.order = list(ids)

    async def touch(self, node_id: str, now: float = NOW) -> None:
        self.nodes[node_id] = replace(self.nodes[node_id], last_seen=now)


class Engine:
    """An HTTP server that answers from a table of paths, and counts who asked for what."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = dict(answers)
        self.calls: list[str] = []
        self.now = self.most = 0
        self.url = ""
        self._gate = asyncio.Event()
        self._gate.set()

    async def __aenter__(self) -> "Engine":
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await self.listen(0)
        return self

    async def listen(self, port: int) -> None:
        self._site = web.TCPSite(self._runner, "127.0.0.1", port)
        await self._site.start()
        self.port: int = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"

    async def refuse(self) -> None:
        await self._site.stop()

    async def __aexit__(self, *_: object) -> None:
        self._gate.set()
        await self._runner.cleanup()

    def hang(self) -> None:
        self._gate.clear()

    def go_on(self) -> None:
        self._gate.set()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.calls.append(f"{request.method} {request.path}")
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self._gate.wait()
            return _response(self.answers.get(request.path, web.Response(status=404)), await request.read())
        finally:
            self.now -= 1


def _response(answer: Any, body: bytes) -> web.StreamResponse:
    if callable(answer):
        answer = answer(orjson.loads(body) if body else None)
    if isinstance(answer, tuple):
        status, content = answer
        return web.json_response(content, status=status)
    if isinstance(answer, web.Response):  # a response is sent once
        return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
    return web.json_response(answer)


def config(**said: Any) -> NodeConfig:
    """An approved node without an agent."""
    return NodeConfig(**{"id": "studio", "name": "Studio", "url": "http://studio:11434"} | said)


async def until(holds: Callable[[], object], seconds: float = 5.0) -> None:
    """Wait for a fact; an AssertionError if it does not come."""
    end = asyncio.get_running_loop().time() + seconds
    while not holds():
        assert asyncio.get_running_loop().time() < end, "it did not come about"
        await asyncio.sleep(0.005)
