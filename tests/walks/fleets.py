"""What walks are made of: a real router, simulated nodes in threads, and clients that wait or don't."""

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, until

API = "/fleet/api/v1"
CLIENTS = 40  # requests that may be under way at once
PATIENCE = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client got; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def node(self) -> str | None:
        """The node that served it."""
        return self.headers.get("x-fleet-node")


class Fleet:
    """One router, the nodes that were added to it, and its clients."""

    def __init__(self, router: Router, stack: ExitStack) -> None:
        self.router = router
        self.nodes: list[Running] = []
        self._stack = stack
        self._clients = stack.enter_context(ThreadPoolExecutor(CLIENTS))

    def add(self, name: str, models: str, *options: str, seen: bool = True, **machine: Any) -> Running:
        """A simulated node, running and added; `seen`: the router knows its models when this returns."""
        node = self._stack.enter_context(running(SimulatedNode(models, machine=Machine(**machine))))
        self.nodes.append(node)
        self.router.manage("node", "add", name, node.url, *options)
        if seen:
            until(lambda: self.row(name)["on_disk"])
        return node

    def add_all(self, *nodes: Callable[[], Running]) -> list[Running]:
        """Several `add`s at the same time."""
        return [future.result() for future in [self._clients.submit(node) for node in nodes]]

    def manage(self, action: str, name: str, *options: str) -> str:
        """`node ACTION NAME`; what it printed."""
        return self.router.manage("node", action, name, *options).stdout.strip()

    def ask(self, model: str, path: str = "/api/chat", headers: Mapping[str, str] | None = None, **body: Any) -> Answer:
        """One request, answered."""
        return post(self.router.url, path, question(model, path) | body, headers)

    def begin(self, model: str, path: str = "/api/chat", **more: Any) -> Future[Answer]:
        """One request, under way."""
        return self._clients.submit(self.ask, model, path, **more)

    def warm(self, node: Running, *models: str) -> None:
        """Have the node's models in memory, behind the router's back; returns once the router knows."""
        for model in models:
            path = "/api/embed" if "embed" in model else "/api/generate"
            assert post(node.url, path, {"model": model, "stream": False, "input": []}).status == 200
        until(lambda: all(self.knows(node, model) for model in models))

    def knows(self, node: Running, model: str) -> bool:
        """Does the router know that the model is in this node's memory?"""
        row = next(row for row in self.get("nodes") if row["url"] == node.url)
        return any(loaded["name"].split(":")[0] == model.split(":")[0] for loaded in row["resident"])

    def get(self, path: str) -> Any:
        """The results of a list of the control API, or its one object."""
        content: Any = self.router.get(f"{API}/{path}")
        return content.get("results", content)

    def row(self, name: str) -> dict[str, Any]:
        """What the API shows of a node; {"on_disk": []} before it shows anything."""
        rows: list[dict[str, Any]] = self.get("nodes")
        return next((row for row in rows if row["name"] == name), {"on_disk": [], "state": None})

    def state(self, name: str) -> str:
        """The one word for a node."""
        return str(self.row(name)["state"])

    def depth(self, node: str, model: str) -> tuple[int, int]:
        """How many run and how many wait in one queue."""
        rows = [row for row in self.get("queues") if (row["node"], row["model"]) == (node, f"{model}:latest")]
        return (rows[0]["in_flight"], rows[0]["pending"]) if rows else (0, 0)

    def decision(self, answer: Answer) -> dict[str, Any]:
        """What was recorded of an answered request."""
        row: dict[str, Any] = self.get(f"decisions/{answer.headers['x-fleet-decision']}")
        return row

    def decisions(self, model: str, outcome: str = "") -> list[dict[str, Any]]:
        """All that were recorded for a model, oldest first; with that outcome (`running`: with none yet)."""
        only = f"&outcome={outcome}" if outcome else ""
        rows: list[dict[str, Any]] = self.get(f"decisions?limit=100&model={model}{only}")
        return rows[::-1]

    def patch(self, **values: Any) -> None:
        """Change parameters; servers follow within two seconds."""
        answer = send(self.router.url, "PATCH", f"{API}/parameters", values, self.control)
        assert answer.status == 200, answer.body

    @property
    def control(self) -> dict[str, str]:
        """The header that lets this machine's operator change things."""
        return {"Authorization": f"Bearer {self.router.token}"}


@contextmanager
def fleet_of(router: Router) -> Iterator[Fleet]:
    """A fleet without nodes; they live as long as the block."""
    with ExitStack() as stack:
        yield Fleet(router, stack)


@contextmanager
def hanging(*nodes: Running) -> Iterator[None]:
    """No answer begins on these nodes inside the block."""
    for node in nodes:
        node.do(node.node.faults.hang)
    try:
        yield
    finally:
        for node in nodes:
            node.do(node.node.faults.heal)


def question(model: str, path: str) -> dict[str, Any]:
    """A small request that this path takes."""
    messages = [{"role": "user", "content": "Why is the sky blue?"}]
    content: dict[str, Any] = {"prompt": "Why is the sky blue?"} if "generate" in path else {"messages": messages}
    return {"model": model, "stream": False} | ({"input": "sky"} if "embed" in path else content)


def post(url: str, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
    """One POST, answered."""
    return send(url, "POST", path, body, headers)


def send(url: str, method: str, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
    """One request on a connection of its own, answered."""
    with opened(url, method, path, body, headers) as response:
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())


@contextmanager
def opened(
    url: str, method: str, path: str, body: object, headers: Mapping[str, str] | None = None
) -> Iterator[HTTPResponse]:
    """One request on a connection of its own, its head read; closed with the block."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
    try:
        kind = {"Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body), {**kind, **(headers or {})})
        yield connection.getresponse()
    finally:
        connection.close()
