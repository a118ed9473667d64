import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import CommandError, call_command

from fleetsite.management.commands import node as command
from nodes import roster
from nodes.lib.digest import digest
from nodes.models import Node
from tests.fleetsite.servers import Answering

pytestmark = pytest.mark.django_db
Serving = Callable[..., Answering]


class Said(NamedTuple):
    """What a command wrote."""

    out: str
    err: str


@pytest.fixture
def node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs `node …` on a data directory of its own."""

    def run(*words: str) -> Said:
        call_command("node", *words, data_dir=str(tmp_path))
        return Said(*capsys.readouterr())

    return run


def row(**fields: object) -> dict[str, object]:
    """A node as the running router shows it."""
    shown = {
        "id": "studio",
        "name": "studio",
        "state": "online",
        "engine": "ollama",
        "url": "http://a",
        "draining": True,
        "status": "online",
        "reachable": True,
        "suspended": [],
    }
    return shown | {"memory": {"available_gb": 12.34}, "resident": [{"name": "m:7b"}, {"name": "n:1b"}]} | fields


def test_a_node_is_added_with_what_its_operator_knows(node: Callable[..., Said]) -> None:
    node(
        "add",
        "studio",
        "studio:8000",
        "--engine",
        "openai",
        "--memory-gb",
        "64",
        "--bandwidth-gbps",
        "800",
        "--parallel",
        "4",
    )
    added = Node.objects.get()
    assert (added.url, added.engine) == ("http://studio:8000", "openai")
    assert (added.memory_gb, added.bandwidth_gbps, added.parallel) == (64, 800, 4)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("add", "studio", "http://b"), "There is a node 'studio' already"),
        (("add", "other", "http://a/"), "http://a is node 'studio' already"),
        (("add", "other", "not a url"), "is no address"),
        (("add", "other", "http://b", "--memory-gb", "0"), "--memory-gb 0.0 is not above 0"),
        (("add", "other", "http://b", "--memory-gb", "much"), "invalid float value"),
        (("add", "other", "http://b", "--engine", "abacus"), "invalid choice: 'abacus'"),
        (("pause", "nope"), "There is no node 'nope'. Known nodes: studio."),
        (("remove", "nope"), "There is no node 'nope'"),
        (("credential", "nope"), "There is no node 'nope'"),
        (("drain", "nope", "--wait"), "There is no node 'nope'"),
    ],
)
def test_what_can_not_be_done_is_told_with_the_reason(
    node: Callable[..., Said], words: tuple[str, ...], told: str
) -> None:
    roster.add("studio", "http://a")
    with pytest.raises(CommandError, match=told.replace("(", r"\(")):
        node(*words)


def test_the_first_node_is_told_how_to_be_added(node: Callable[..., Said]) -> None:
    with pytest.raises(CommandError, match="none yet: add one with `node add NAME URL`"):
        node("pause", "studio")


@pytest.mark.parametrize(
    ("action", "said"), [("approve", "approved"), ("pause", "paused"), ("resume", "resumed"), ("drain", "draining")]
)
def test_an_action_is_done_and_said(node: Callable[..., Said], action: str, said: str) -> None:
    roster.add("studio", "http://a")
    assert node(action, "studio").out == f"studio: {said}\n"


def test_a_removed_node_is_gone(node: Callable[..., Said]) -> None:
    roster.add("studio", "http://a")
    node("remove", "studio")
    assert not Node.objects.exists()


def test_a_credential_is_alone_on_stdout(node: Callable[..., Said]) -> None:
    roster.add("studio", "http://a")
    said = node("credential", "studio")
    assert digest(said.out.removesuffix("\n")) == Node.objects.get().credential
    assert said.err == ""


def test_the_list_shows_what_the_running_router_sees(node: Callable[..., Said], serving: Serving) -> None:
    serving({"nodes": [{"results": [row()], "next": None}]})
    said = node("list")
    assert said.out.splitlines()[1].split() == ["studio", "online", "ollama", "http://a", "12.3", "m:7b,", "n:1b"]
    assert said.err == ""


def test_a_suspended_model_is_counted_beside_the_state(node: Callable[..., Said], serving: Serving) -> None:
    serving({"nodes": [{"results": [row(suspended=["m:7b"])], "next": None}]})
    assert "online, 1 model suspended" in node("list").out


@pytest.mark.parametrize("lost", [{"reachable": False}, {"status": "offline"}])
def test_the_memory_of_a_node_that_does_not_answer_is_not_known(
    node: Callable[..., Said], serving: Serving, lost: dict[str, object]
) -> None:
    serving({"nodes": [{"results": [row(**lost)], "next": None}]})
    assert node("list").out.splitlines()[1].split()[-2:] == ["–", "–"]


def test_without_a_router_the_list_shows_what_the_database_knows(node: Callable[..., Said]) -> None:
    roster.add("studio", "http://a")
    roster.act("studio", "pause")
    said = node("list")
    assert said.out.splitlines()[1].split()[:2] == ["studio", "paused"]
    assert "router not running" in said.err


def test_json_rows_are_the_routers_own(node: Callable[..., Said], serving: Serving) -> None:
    serving({"nodes": [{"results": [row()], "next": None}]})
    assert json.loads(node("list", "--json").out) == [row()]


def test_json_rows_without_a_router_say_what_is_not_known(node: Callable[..., Said]) -> None:
    roster.add("studio", "http://a")
    (shown,) = json.loads(node("list", "--json").out)
    assert (shown["name"], shown["status"], shown["memory"]["available_gb"]) == ("studio", None, None)


def test_drain_waits_until_it_is_in_force_and_nothing_of_ours_runs_there(
    node: Callable[..., Said], serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "LOOK_EVERY", 0.0)
    roster.add("studio", "http://a")
    busy, idle = {"node": "studio", "in_flight": 1}, {"node": "studio", "in_flight": 0}
    server = serving(
        {
            "nodes": [{"results": [row(draining=False)]}, {"results": [row()]}],
            "queues": [{"results": []}, {"results": [busy]}, {"results": [idle, {"node": "mini", "in_flight": 3}]}],
        }
    )
    node("drain", "studio", "--wait")
    assert len(server.tokens) == 6


def test_drain_without_a_router_has_nothing_to_wait_for(node: Callable[..., Said]) -> None:
    roster.add("studio", "http://a")
    assert "nothing of ours runs there" in node("drain", "studio", "--wait").err
