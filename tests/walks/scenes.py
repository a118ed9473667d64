"""A router and its nodes, as walks see them: asked, looked into, and told of nodes all at once."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, RouterFactory, until
from tests.walks.calls import Answer, Call, asking, post

LIVE = "/fleet/api/v1"
POOL = tuple(f"llama-{number}" for number in range(160))
SPEAKS_OPENAI = tuple(f"cpp-{number}" for number in range(20))  # models of the fifth node, which speaks only that
ALONE = tuple(f"alone-{number}" for number in range(100))  # models of one node, which runs one request of each
HUGE = "huge"  # a model that no node has the memory for
# The lower its bandwidth, the better a node is for a small model: this is the order in which they are tried.
NODES: Mapping[str, float] = {"first": 10, "second": 200, "third": 400, "fourth": 800}
MACHINE = Machine(tokens_per_second=500, load_gbps=1000, memory_gb=10_000, max_loaded=1000, parallel=64)

ADD = """
import json
from nodes import roster
for name, url, engine, numbers in json.loads({rows!r}):
    roster.add(name, url, engine, numbers)
"""


@dataclass
class Fleet:
    """One router and simulated nodes."""

    router: Router
    nodes: dict[str, Running]
    fresh: deque[str] = field(default_factory=lambda: deque(POOL))  # models that nobody has asked for
    fresh_alone: deque[str] = field(default_factory=lambda: deque(ALONE))
    fresh_openai: deque[str] = field(default_factory=lambda: deque(SPEAKS_OPENAI))

    def __getitem__(self, name: str) -> Running:
        return self.nodes[name]

    def ask(self, path: str, model: str, **more: Any) -> Answer:
        """One request, answered."""
        return post(self.router.url, path, asking(path, model, **more))

    def call(self, path: str, model: str, **more: Any) -> Call:
        """One request, sent."""
        return Call(self.router.url, path, asking(path, model, **more))

    def decision(self, answer: Answer) -> dict[str, Any]:
        """The audit of an answered request."""
        return self.look(f"decisions/{answer.decision}")

    def decisions(self, model: str) -> list[dict[str, Any]]:
        """The audits of all requests for a model, oldest first."""
        found: list[dict[str, Any]] = self.look(f"decisions?model={model}")["results"]
        return found[::-1]

    def outcome(self, model: str) -> str | None:
        """How the latest request for a model came out; None while it runs."""
        told: str | None = self.decisions(model)[-1]["outcome"]
        return told

    def queues(self, model: str) -> dict[str, tuple[int, int]]:
        """Node → how many run and wait there for this model."""
        rows = self.look("queues")["results"]
        names = {node["id"]: node["name"] for node in self.look("nodes")["results"]}
        return {names[r["node"]]: (r["in_flight"], r["pending"]) for r in rows if r["model"] == f"{model}:latest"}

    def look(self, what: str) -> Any:
        """A GET of the control API."""
        return self.router.get(f"{LIVE}/{what}")

    def enrol(self, *rows: tuple[str, str, str, dict[str, float]]) -> None:
        """Add nodes (name, URL, engine, numbers) in one process; return once the router has read them all."""
        self.router.manage("shell", "-v", "0", "-c", ADD.format(rows=json.dumps(rows)))
        wanted = {name for name, *_ in rows}
        until(lambda: wanted <= {n["name"] for n in self.look("nodes")["results"] if n["reachable"] and n["on_disk"]})

    def warm(self, model: str, *names: str) -> None:
        """Have these nodes load a model; return once the router knows."""
        for name in names:
            post(self.nodes[name].url, "/api/generate", json.dumps({"model": model}).encode())
        until(lambda: set(names) <= {n["name"] for n in self.look("nodes")["results"] if _resident(n, model)})

    def settle(self, model: str, context: int) -> None:
        """Return once the router knows that the model is loaded with this context."""
        loaded = (f"{model}:latest", context)
        until(
            lambda: any(
                (r["name"], r["context"]) == loaded for n in self.look("nodes")["results"] for r in n["resident"]
            )
        )

    def heal(self) -> None:
        """No faults anywhere; every node listens, and the router knows."""
        for one in self.nodes.values():
            one.do(one.node.faults.heal)
            one.do(one.node.accept)
        until(lambda: all(n["reachable"] for n in self.look("nodes")["results"] if n["name"] in self.nodes))


@contextmanager
def four_nodes(start: RouterFactory, **env: str) -> Iterator[Fleet]:
    """A router with four nodes that have the same models, tried in the order of NODES; and three of another kind."""
    simulated = {
        **{name: SimulatedNode(_of_one_gb(POOL), MACHINE) for name in NODES},
        "alone": SimulatedNode(_of_one_gb(ALONE), MACHINE),
        "cpp": SimulatedNode(_of_one_gb(SPEAKS_OPENAI), replace(MACHINE, engine="openai")),
        "small": SimulatedNode(f"{HUGE}=50", MACHINE),
    }
    numbers: dict[str, dict[str, float]] = {n: {"bandwidth_gbps": NODES[n]} for n in NODES} | {
        "small": {"memory_gb": 4}
    }
    with ExitStack() as stack:
        nodes = {name: stack.enter_context(running(node)) for name, node in simulated.items()}
        fleet = Fleet(start(**env), nodes)
        fleet.enrol(*((n, one.url, one.node.machine.engine, numbers.get(n, {})) for n, one in nodes.items()))
        yield fleet


def _resident(node: dict[str, Any], model: str) -> bool:
    return any(loaded["name"] == f"{model}:latest" for loaded in node["resident"])


def _of_one_gb(models: Iterable[str]) -> str:
    return ",".join(f"{name}=1" for name in models)
