"""`manage.py node`: the nodes that the router may use."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

import nodes.configs
from fleetsite.management.base import FleetCommand
from fleetsite.presenters import node_rows, state_words
from fleetsite.running import RouterNotRunning, ask
from fleetsite.tables import table
from nodes import roster
from nodes.models import Node
from routing.core.parameters import QueuePolicy

LOOK_EVERY = 0.5  # seconds
DONE = {"approve": "approved", "pause": "paused", "resume": "resumed", "drain": "draining"}
HELP = {
    "approve": "let the router use a node that asked to join",
    "pause": "send it nothing; what waits there goes elsewhere",
    "resume": "use it again",
    "drain": "let it finish what runs, send it nothing new",
    "remove": "forget it",
    "credential": "make a new credential for its agent, printed once, alone",
}


class Command(FleetCommand):
    """Add, list and steer nodes."""

    help = "Add, list, approve, pause, resume, drain or remove nodes. A running router follows within two seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command an action."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        add = actions.add_parser("add", help="add an engine by its address, approved at once")
        add.add_argument("name", metavar="NAME")
        add.add_argument("url", metavar="URL", help="for example http://192.168.1.20:11434")
        add.add_argument(
            "--engine", choices=Node.ENGINES, default="ollama", help="openai: llama.cpp, vLLM, LM Studio …"
        )
        add.add_argument("--memory-gb", type=float, help="what the engine may use; unknown without it")
        add.add_argument("--bandwidth-gbps", type=float, help="memory bandwidth, GB/s")
        add.add_argument("--parallel", type=int, help="requests it runs at once, taken as it is")
        actions.add_parser("list", help="all nodes").add_argument(
            "--json", action="store_true", help="as the API shows them"
        )
        for action, help_text in HELP.items():
            named = actions.add_parser(action, help=help_text)
            named.add_argument("name", metavar="NAME")
            if action == "drain":
                named.add_argument("--wait", action="store_true", help="return when nothing of ours runs there")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the action; CommandError says what is wrong and what to do."""
        does: dict[str, Callable[[dict[str, Any]], None]] = {
            "add": self.add,
            "list": self.show,
            "remove": self.remove,
            "credential": self.credential,
        }
        try:
            does.get(options["action"], self.act)(options)
        except roster.RosterError as error:
            raise CommandError(str(error)) from error

    def add(self, options: dict[str, Any]) -> None:
        """Add a node."""
        numbers = {field: options[field] for field in ("memory_gb", "bandwidth_gbps", "parallel")}
        node = roster.add(options["name"], options["url"], options["engine"], numbers)
        self.stdout.write(f"{node.name} added: {node.url}")

    def show(self, options: dict[str, Any]) -> None:
        """Show every node, live if the router runs."""
        rows = self._rows(self.directory(options))
        self.stdout.write(json.dumps(rows, indent=2) if options["json"] else table(HEADINGS, [_cells(r) for r in rows]))

    def act(self, options: dict[str, Any]) -> None:
        """Approve, pause, resume or drain a node."""
        node = roster.act(options["name"], options["action"])
        self.stdout.write(f"{node.name}: {DONE[options['action']]}")
        if options.get("wait"):
            self._wait(node.id, self.directory(options))

    def remove(self, options: dict[str, Any]) -> None:
        """Forget a node."""
        roster.remove(options["name"])
        self.stdout.write(f"{options['name']} removed")

    def credential(self, options: dict[str, Any]) -> None:
        """Print a new credential, alone on stdout."""
        self.stdout.write(roster.new_credential(options["name"]))

    def _rows(self, directory: Path) -> list[dict[str, Any]]:
        """The rows of the running router, else what the database knows."""
        try:
            rows: list[dict[str, Any]] = ask(directory, "nodes")["results"]
        except RouterNotRunning as error:
            self.stderr.write(f"{error}: this is what the database knows")
            return node_rows(nodes.configs.load(), None, QueuePolicy())
        return rows

    def _wait(self, node_id: str, directory: Path) -> None:
        """Return once the router drains this node and nothing of ours runs there; at once if no router runs."""
        try:
            while not _drained(node_id, ask(directory, "nodes")["results"], ask(directory, "queues")["results"]):
                time.sleep(LOOK_EVERY)
        except RouterNotRunning as error:
            self.stderr.write(f"{error}: nothing of ours runs there")


HEADINGS = ("NAME", "STATE", "ENGINE", "URL", "FREE GB", "IN MEMORY")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    """One line of the list."""
    free, resident = _memory(row) if row["reachable"] and row["status"] != "offline" else (None, "")
    free_gb = "–" if free is None else f"{free:.1f}"
    return row["name"], state_words(row["state"], row["suspended"]), row["engine"], row["url"], free_gb, resident or "–"


def _memory(row: dict[str, Any]) -> tuple[float | None, str]:
    """What is free, and which models are loaded; of a node that does not answer nobody knows."""
    return row["memory"]["available_gb"], ", ".join(model["name"] for model in row["resident"])


def _drained(node_id: str, node_rows: list[dict[str, Any]], queue_rows: list[dict[str, Any]]) -> bool:
    """Is the drain in force, and does nothing of ours run there?"""
    draining = all(row["draining"] for row in node_rows if row["id"] == node_id)
    return draining and not any(row["in_flight"] for row in queue_rows if row["node"] == node_id)
