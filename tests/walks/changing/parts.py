"""What walks through changing fleets are made of: a real router, nodes that come and go, clients that wait or don't."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import ROOT, Router, until
from tests.walks.calls import JSON, Answer, Call, asking, post

API = "/fleet/api/v1"
CLIENTS = 40  # requests that may be under way at once
eventually = partial(until, within=20.0, every=0.1)  # each look is a request; the machine may be busy
COMMANDS = """
import django, json, sys
django.setup()
from django.core.management import call_command
for words in json.loads(sys.argv[1]):
    call_command(*words)
"""


@dataclass(frozen=True, slots=True)
class Planned:
    """A node to add: models as `qwen2.5:7b=4.7`, options of `node add`, and what its machine is like."""

    name: str
    models: str
    options: tuple[str, ...] = ()
    machine: Mapping[str, Any] = field(default_factory=dict)


class Fleet:
    """One router, the nodes that were added to it, and its clients."""

    def __init__(self, router: Router, stack: ExitStack) -> None:
        self.router = router
        self.nodes: dict[str, Running] = {}
        self._stack = stack
        self._clients = stack.enter_context(ThreadPoolExecutor(CLIENTS))

    def add(self, *planned: Planned) -> list[Running]:
        """Simulated nodes, added in this order; the router knows their models when this returns."""
        nodes = {one.name: self._start(one) for one in planned}
        self.run(*(("node", "add", one.name, nodes[one.name].url, *one.options) for one in planned))
        eventually(lambda: all(self.row(name)["on_disk"] for name in nodes))
        return list(nodes.values())

    def run(self, *commands: Sequence[str]) -> list[str]:
        """Commands of `manage.py` on the router's data, in one process; the lines they printed."""
        env = self.router.env | {
            "FLEET_DATA_DIR": str(self.router.data),
            "DJANGO_SETTINGS_MODULE": "fleetsite.settings",
        }
        words = [sys.executable, "-c", COMMANDS, json.dumps(commands)]
        done = subprocess.run(words, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def manage(self, action: str, name: str) -> str:
        """`node ACTION NAME`; what it printed."""
        return self.run(("node", action, name))[0]

    def ask(self, model: str, path: str = "/api/chat", headers: Mapping[str, str] | None = None, **body: Any) -> Answer:
        """One request, answered."""
        return post(self.router.url, path, asking(path, model, **body), JSON | dict(headers or {}))

    def begin(self, model: str, path: str = "/api/chat", **more: Any) -> Future[Answer]:
        """One request, under way."""
        return self._clients.submit(self.ask, model, path, **more)

    def stream(self, model: str) -> Call:
        """One streamed chat, sent."""
        return Call(self.router.url, "/api/chat", asking("/api/chat", model, stream=True))

    def warm(self, node: Running, *models: str) -> None:
        """Have the node's models in memory, behind the router's back; returns once the router knows."""
        for model in models:
            path = "/api/embed" if "embed" in model else "/api/generate"
            assert post(node.url, path, json.dumps({"model": model, "stream": False}).encode()).status == 200
        eventually(lambda: all(self.knows(node, model) for model in models))

    def knows(self, node: Running, model: str) -> bool:
        """Does the router know that the model is in this node's memory?"""
        row = next(row for row in self.get("nodes") if row["url"] == node.url)
        return any(loaded["name"] == f"{model}:latest" for loaded in row["resident"])

    def get(self, path: str) -> Any:
        """The results of a list of the control API, or its one object."""
        content: Any = self.router.get(f"{API}/{path}")
        return content.get("results", content)

    def row(self, name: str) -> dict[str, Any]:
        """What the API shows of a node; as of a new one before it shows anything."""
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
        row: dict[str, Any] = self.get(f"decisions/{answer.decision}")
        return row

    def decisions(self, model: str, outcome: str = "") -> list[dict[str, Any]]:
        """All that were recorded for a model, oldest first; with that outcome (`running`: with none yet)."""
        only = f"&outcome={outcome}" if outcome else ""
        rows: list[dict[str, Any]] = self.get(f"decisions?limit=100&model={model}{only}")
        return rows[::-1]

    def patch(self, values: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
        """`PATCH parameters`, by the operator of this machine unless other headers say otherwise."""
        mine = {"Authorization": f"Bearer {self.router.token}"}
        sent = JSON | dict(mine if headers is None else headers)
        return Call(self.router.url, f"{API}/parameters", json.dumps(values).encode(), sent, "PATCH").answer()

    def _start(self, planned: Planned) -> Running:
        node = SimulatedNode(planned.models, machine=Machine(**planned.machine))
        started = self.nodes[planned.name] = self._stack.enter_context(running(node))
        return started


@contextmanager
def fleet_of(router: Router) -> Iterator[Fleet]:
    """A fleet without nodes; those that are added live as long as the block."""
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
