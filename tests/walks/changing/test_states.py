"""What an operator sees of nodes: the same word from the command and from the API, as soon as it is true."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.conftest import free_port, routers
from tests.walks.calls import JSON, Answer, post
from tests.walks.changing.parts import API, Fleet, Planned, eventually, fleet_of

SOON_SILENT = {"FLEET_HEARTBEAT_TIMEOUT": "1", "FLEET_HEARTBEAT_OFFLINE": "3"}


@pytest.fixture(scope="module")
def restless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A router that soon takes silence for absence."""
    with routers(tmp_path_factory.mktemp("states")) as start, fleet_of(start(**SOON_SILENT)) as fleet:
        yield fleet


def beat(fleet: Fleet, credential: str, node: str, sequence: int = 1) -> Answer:
    """A heartbeat of this node with this credential."""
    said = {"schema": 1, "node": node, "boot": "b", "sequence": sequence, "memory": {"total_bytes": 64 * 2**30}}
    headers = JSON | {"Authorization": f"Bearer {credential}"}
    return post(fleet.router.url, f"{API}/heartbeat", json.dumps(said).encode(), headers)


def credentials(fleet: Fleet, *names: str) -> list[str]:
    """New credentials of these nodes, in force."""
    made = fleet.run(*(("node", "credential", name) for name in names))
    eventually(lambda: all(beat(fleet, *pair).status == 200 for pair in zip(made, names, strict=True)))
    return made


def ask_to_join(fleet: Fleet, name: str) -> None:
    """Make the node one that enrolled itself, before an operator approved it."""
    with closing(sqlite3.connect(fleet.router.data / "fleet.sqlite3")) as database, database:
        database.execute("UPDATE nodes_node SET enrolment = 'pending' WHERE name = ?", [name])
        database.execute("UPDATE nodes_changecounter SET value = value + 1")


def test_each_state_is_shown_by_the_command_and_by_the_api(restless: Fleet) -> None:
    restless.add(*(Planned(name, "m=1") for name in ("online", "paused", "draining", "pending")))
    nobody = f"http://127.0.0.1:{free_port()}"
    add = ("node", "add", "unreachable", nobody)
    restless.run(("node", "pause", "paused"), ("node", "drain", "draining"), add)
    ask_to_join(restless, "pending")
    names = ("online", "paused", "draining", "unreachable", "pending")
    eventually(lambda: all(restless.state(name) == name for name in names))
    shown = {row["name"]: row["state"] for row in json.loads("".join(restless.run(("node", "list", "--json"))))}
    assert {name: shown[name] for name in names} == {name: name for name in names}
    assert nobody in restless.row("unreachable")["trouble"]


def test_a_silent_node_is_degraded_and_serves_then_offline_then_online_with_its_next_word(restless: Fleet) -> None:
    restless.add(Planned("silent", "silent=1"))
    (credential,) = credentials(restless, "silent")
    eventually(lambda: restless.state("silent") == "degraded")
    assert restless.ask("silent").status == 200
    eventually(lambda: restless.state("silent") == "degraded")
    eventually(lambda: restless.state("silent") == "offline")
    assert beat(restless, credential, "silent", 2).json()["state"] == "online"
    assert restless.row("silent")["memory"]["total_gb"] == 64


def test_a_heartbeat_needs_the_credential_of_its_own_node(restless: Fleet) -> None:
    restless.add(Planned("mine", "m=1"), Planned("theirs", "m=1"))
    mine, theirs = credentials(restless, "mine", "theirs")
    answers = [beat(restless, credential, "mine", 2).status for credential in (theirs, "unknown", "", mine)]
    assert answers == [401, 401, 401, 200]
