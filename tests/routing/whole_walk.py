"""The data plane without sockets: clients that may leave, engines that do as they are told, a fleet that counts."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from nodes.core.values import DiskModel, NodeSnapshot, QueueKey, ResidentModel, Standing
from nodes.fleet.memory import MemoryFleet
from routing.core.problems import UpstreamFailed
from routing.core.request import InferenceRequest
from routing.endpoints import data_plane
from routing.notebook import Trace
from routing.upstreams import Head, Over

MODEL = "qwen2.5:7b"
SLOTS = {"studio": 1, "mini": 2}
LAST_LINE = b'{"done":true}\n'
HEAD = Head(200, ())


class CountingFleet(MemoryFleet):
    """Knows which tickets have a slot, and how often one was taken and given back."""

    def __init__(self) -> None:
        super().__init__()
        self.acquired = self.released = 0
        self.running: dict[str, QueueKey] = {}

    async def turn(self, ticket_id: str, slots: Callable[[QueueKey], int]) -> Standing:
        standing = await super().turn(ticket_id, slots)
        if standing.state == "running" and ticket_id not in self.running:
            assert standing.queue is not None
            self.acquired += 1
            self.running[ticket_id] = standing.queue
            assert Counter(self.running.values())[standing.queue] <= SLOTS[standing.queue.node]
        return standing

    async def leave(self, ticket_id: str) -> None:
        await super().leave(ticket_id)
        self.released += self.running.pop(ticket_id, None) is not None


class Engines:
    """An upstream for every node: each try of a request does the next thing that its tag says, then answers."""

    def __init__(self) -> None:
        self.plans: dict[str, list[str]] = {}  # by the request's one tag
        self.working: Counter[str] = Counter()
        self.hanging: list[asyncio.Event] = []

    async def stream(
        self, node: NodeSnapshot, request: InferenceRequest, model: str, over: Over
    ) -> AsyncGenerator[Head | bytes, None]:
        plan = self.plans[request.tags[0]]
        self.working[node.id] += 1
        try:
            assert self.working[node.id] <= SLOTS[node.id]
            async for part in getattr(self, plan.pop(0) if plan else "answers")(request):
                yield part
        finally:
            self.working[node.id] -= 1

    async def answers(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        await asyncio.sleep(0)
        if not request.stream:
            yield Head(200, (), LAST_LINE)
            return
        yield HEAD
        yield b'{"done":false}\n'
        yield LAST_LINE

    async def hangs(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        """Until it is let go on, or for ever."""
        self.hanging.append(asyncio.Event())
        await self.hanging[-1].wait()
        async for part in self.answers(request):
            yield part

    async def stops(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        """Hangs after the first byte."""
        if request.stream:
            yield HEAD
            yield b'{"done":false}\n'
        async for part in self.hangs(request):
            yield part

    async def refuses(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        await asyncio.sleep(0)
        raise UpstreamFailed("refused")
        yield

    async def stalls(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        raise UpstreamFailed("stalled", 504, retryable=False, stalled=True, timed_out=True)
        yield

    async def rejects(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        yield Head(400, (), b'{"error":"no"}')

    async def breaks(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        if request.stream:
            yield HEAD
            yield b'{"done":false}\n'
        raise UpstreamFailed("broke off")

    async def breaks_late(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        """After its terminal line."""
        async for part in self.answers(request):
            yield part
        raise UpstreamFailed("broke off")

    async def trails_off(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        """Ends in good form, but without its terminal line."""
        yield HEAD if request.stream else Head(200, (), b'{"done":false}')
        if request.stream:
            yield b'{"done":false}\n'

    async def bugs(self, request: InferenceRequest) -> AsyncGenerator[Head | bytes, None]:
        """A fault of ours."""
        raise KeyError("bug")
        yield


PLANS = ("answers", "hangs", "stops", "refuses", "stalls", "rejects", "breaks", "breaks_late", "trails_off", "bugs")


@dataclass
class Client:
    """One request, and what came back."""

    task: "asyncio.Task[None]"
    left: asyncio.Event
    said: list[MutableMapping[str, Any]]

    @property
    def status(self) -> int | None:
        return next((m["status"] for m in self.said if m["type"] == "http.response.start"), None)

    @property
    def body(self) -> bytes:
        return b"".join(m.get("body", b"") for m in self.said)

    @property
    def ended(self) -> bool:
        """Did the answer come to its end?"""
        return bool(self.said) and self.said[-1].get("more_body") is False


@dataclass
class Notes:
    """Stands for the journal: how each request came out, each time that it came out."""

    outcomes: dict[str, list[str]] = field(default_factory=dict)

    def note(self, trace: Trace) -> None:
        listed = self.outcomes.setdefault(trace.id, [])
        if trace.done:
            listed.append(str(trace.row()["outcome"]))


class House:
    """Nodes, engines, clients, and what may happen to them."""

    def __init__(self, fleet: CountingFleet, engines: Engines, notes: Notes) -> None:
        self.fleet, self.engines, self.notes = fleet, engines, notes
        self.clients: list[Client] = []
        self.paused: set[str] = set()

    async def ask(self, plan: Iterable[str], stream: bool) -> None:
        """A client asks."""
        tag = f"r{len(self.clients)}"
        self.engines.plans[tag] = list(plan)
        body = {"model": MODEL, "stream": stream, "messages": [{"role": "user", "content": tag}]}
        left, said = asyncio.Event(), list[MutableMapping[str, Any]]()
        work = data_plane(_scope(tag), _receiver(orjson.dumps(body), left), _sender(said, left))
        self.clients.append(Client(asyncio.create_task(work), left, said))
        await self.settle()

    async def leave(self, number: int) -> None:
        """A client leaves, if it is still there."""
        if self.clients:
            self.clients[number % len(self.clients)].left.set()
            await self.settle()

    async def go_on(self) -> None:
        """What has hung for longest goes on."""
        waiting = [event for event in self.engines.hanging if not event.is_set()]
        if waiting:
            waiting[0].set()
            await self.settle()

    async def pause(self, node_id: str) -> None:
        self.paused ^= {node_id}
        await self.put(node_id)
        await self.settle()

    async def lose(self, node_id: str) -> None:
        await self.fleet.drop_node(node_id)
        await self.settle()

    async def find(self, node_id: str) -> None:
        await self.put(node_id)
        await self.settle()

    async def move(self, source: str, target: str) -> None:
        """A rebalance."""
        await self.fleet.move(QueueKey(source, MODEL), QueueKey(target, MODEL), 3, 2, frozenset())
        await self.settle()

    async def heal(self, node_id: str) -> None:
        """Its circuit closes."""
        await self.fleet.succeeded(QueueKey(node_id, MODEL))
        await self.settle()

    async def put(self, node_id: str) -> None:
        """What is known of a node."""
        resident, disk = {MODEL: ResidentModel(MODEL)}, {MODEL: DiskModel(MODEL)}
        paused, parallel = node_id in self.paused, SLOTS[node_id]
        await self.fleet.put_node(
            NodeSnapshot(node_id, node_id, parallel=parallel, paused=paused, resident=resident, on_disk=disk)
        )

    async def settle(self) -> None:
        """Let everybody do what can be done now."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def end(self) -> None:
        """Whoever is still there leaves; every task is over, and none of them failed."""
        for client in self.clients:
            client.left.set()
        async with asyncio.timeout(10):
            await asyncio.gather(*(client.task for client in self.clients))


def _scope(tag: str) -> dict[str, Any]:
    headers = [(b"host", b"localhost"), (b"x-fleet-tags", tag.encode())]
    return {"type": "http", "path": "/api/chat", "method": "POST", "headers": headers, "client": ("127.0.0.1", 1)}


def _receiver(body: bytes, left: asyncio.Event) -> Callable[[], Any]:
    pending = [{"type": "http.request", "body": body}]

    async def receive() -> MutableMapping[str, Any]:
        if pending:
            return pending.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    return receive


def _sender(said: list[MutableMapping[str, Any]], left: asyncio.Event) -> Callable[[MutableMapping[str, Any]], Any]:
    async def send(message: MutableMapping[str, Any]) -> None:
        await asyncio.sleep(0)
        if not left.is_set():
            said.append({"more_body": False, **message} if message["type"] == "http.response.body" else message)

    return send
