"""What an operator sees of nodes: the same word from the command and from the API, as soon as it is true."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import free_port, routers, until
from tests.walks.fleets import API, Answer, Fleet, fleet_of, send

SOON_SILENT = {"FLEET_HEARTBEAT_TIMEOUT": "1", "FLEET_HEARTBEAT_OFFLINE": "3"}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with routers(tmp_path_factory.mktemp("states")) as start, fleet_of(start(**SOON_SILENT)) as fleet:
        yield fleet


def beat(fleet: Fleet, credential: str, node: str, sequence: int = 1) -> Answer:
    """A heartbeat of this node with this credential."""
    said = {"schema": 1, "node": node, "boot": "b", "sequence": sequence, "memory": {"total_bytes": 64 * 2**30}}
    return send(fleet.router.url, "POST", f"{API}/heartbeat", said, {"Authorization": f"Bearer {credential}"})


def listed(fleet: Fleet) -> dict[str, str]:
    """The states that the command shows."""
    rows: list[dict[str, Any]] = json.loads(fleet.router.manage("node", "list", "--json").stdout)
    return {row["name"]: row["state"] for row in rows}


def ask_to_join(fleet: Fleet, name: str, url: str) -> None:
    """A node as one that enrolled itself, before an operator approved it."""
    fleet.router.manage("node", "add", name, url)
    with sqlite3.connect(fleet.router.data / "fleet.sqlite3") as database:
        database.execute("UPDATE nodes_node SET enrolment = 'pending' WHERE name = ?", [name])
        database.execute("UPDATE nodes_changecounter SET value = value + 1")
    database.close()


def test_each_state_is_shown_by_the_command_and_by_the_api(fleet: Fleet) -> None:
    fleet.add_all(*(lambda name=name: fleet.add(name, "m=1") for name in ("online", "paused", "draining")))
    fleet.manage("pause", "paused")
    fleet.manage("drain", "draining")
    nobody = f"http://127.0.0.1:{free_port()}"
    fleet.router.manage("node", "add", "unreachable", nobody)
    ask_to_join(fleet, "pending", "http://127.0.0.1:9")
    names = ("online", "paused", "draining", "unreachable", "pending")
    until(lambda: all(fleet.state(name) == name for name in names))
    shown = listed(fleet)
    assert {name: shown[name] for name in names} == {name: name for name in names}
    assert nobody in fleet.row("unreachable")["trouble"]


def test_a_node_that_falls_silent_is_degraded_then_offline_and_online_again_with_its_next_word(fleet: Fleet) -> None:
    fleet.add("silent", "m=1")
    credential = fleet.manage("credential", "silent")
    until(lambda: beat(fleet, credential, "silent").status == 200)
    for state in ("online", "degraded", "offline"):
        until(lambda: fleet.state("silent") == state)  # noqa: B023
    assert beat(fleet, credential, "silent", 2).json()["state"] == "online"
    assert fleet.row("silent")["memory"]["total_gb"] == 64


def test_a_degraded_node_still_serves(fleet: Fleet) -> None:
    fleet.add("tired", "tired=1")
    credential = fleet.manage("credential", "tired")
    until(lambda: beat(fleet, credential, "tired").status == 200)
    until(lambda: fleet.state("tired") == "degraded")
    assert fleet.ask("tired").status == 200


def test_a_heartbeat_needs_the_credential_of_its_own_node(fleet: Fleet) -> None:
    fleet.add_all(*(lambda name=name: fleet.add(name, "m=1") for name in ("mine", "theirs")))
    mine, theirs = (fleet.manage("credential", name) for name in ("mine", "theirs"))
    until(lambda: beat(fleet, mine, "mine").status == 200)
    until(lambda: beat(fleet, theirs, "theirs").status == 200)
    refused = [beat(fleet, credential, "mine", 2) for credential in (theirs, "unknown", "")]
    assert [answer.status for answer in refused] == [401, 401, 401]
