"""A model that no node has is pulled because somebody asks for it, where the operator wants that."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.walks.calls import Call
from tests.walks.doors_asking import Asker, asking, decision, results

REGISTRY = ",".join(f"pull-{n}=1" for n in range(10))
HI = [{"role": "user", "content": "Hi"}]
PATIENCE = "5"  # seconds


class Fleet:
    """A router that pulls what nobody has, one machine, two keys."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        machine = Machine(memory_gb=64)
        self.node: Running = stack.enter_context(running(SimulatedNode("large=200", machine, REGISTRY)))
        env = {"FLEET_AUTO_PULL": "true", "FLEET_AUTO_PULL_TIMEOUT": PATIENCE, "FLEET_HOLD_TIMEOUT": "0.1"}
        self.router: Router = stack.enter_context(routers(folder))(**env)
        self.router.manage("node", "add", "studio", self.node.url, "--memory-gb", "64")
        until(lambda: all(node["on_disk"] for node in results(self.router, "nodes")))
        self.puller = self.router.manage("key", "create", "puller", "--pull").stdout.split()[-1]
        self.asker = self.router.manage("key", "create", "asker").stdout.split()[-1]

    def hang(self) -> None:
        """No pull goes on."""
        self.node.do(self.node.node.faults.hang)

    def heal(self) -> None:
        """Every pull goes on."""
        self.node.do(self.node.node.faults.heal)

    def pulls(self) -> int:
        """How often the machine was told to pull."""
        return self.node.node.seen.requests["/api/pull"]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One fleet for all."""
    with ExitStack() as stack:
        fleet = Fleet(tmp_path_factory.mktemp("autopull"), stack)
        yield fleet
        fleet.heal()
        assert "Traceback" not in fleet.router.stderr


@pytest.fixture
def asker(fleet: Fleet) -> Iterator[Asker]:
    """A client; whatever it made hang goes on."""
    with asking(fleet.router) as asker:
        yield asker
    fleet.heal()


def body(model: str) -> dict[str, Any]:
    """A short chat."""
    return {"model": model, "messages": HI, "stream": False}


def test_a_model_that_no_node_has_is_pulled_and_answers(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/chat", body("pull-0"))
    assert (answer.status, answer.headers["x-fleet-served-model"]) == (200, "pull-0:latest")
    told = decision(fleet.router, answer.decision)
    assert (told["outcome"], told["reason"], told["attempts"][0]["node"]) == ("completed", "", "studio")
    assert told["attempts"][0]["error"] == "pull of pull-0: 100 %"


def test_it_is_pulled_for_the_other_dialect_too(asker: Asker) -> None:
    assert asker.post("/v1/chat/completions", body("pull-1")).status == 200


def test_what_the_registry_does_not_know_is_not_found(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/chat", body("nope"))
    assert (answer.status, answer.error) == (404, "model 'nope' not found")
    assert decision(fleet.router, answer.decision)["outcome"] == "unknown_model"


def test_many_who_ask_for_it_wait_for_one_pull(fleet: Fleet, asker: Asker) -> None:
    before = fleet.pulls()
    fleet.hang()
    calls = [Call(fleet.router.url, "/api/chat", json.dumps(body("pull-2")).encode()) for _ in range(3)]
    until(lambda: sum(row["requested_model"] == "pull-2" for row in results(fleet.router, "decisions")) == 3)
    fleet.heal()
    assert ([call.answer().status for call in calls], fleet.pulls()) == ([200] * 3, before + 1)


def test_the_decision_tells_how_far_the_pull_is(fleet: Fleet, asker: Asker) -> None:
    fleet.hang()
    call = Call(fleet.router.url, "/api/chat", json.dumps(body("pull-3")).encode())
    wanted = "pulling pull-3 onto studio: pulling manifest"
    until(lambda: any(row["reason"] == wanted for row in results(fleet.router, "decisions?model=pull-3")))
    fleet.heal()
    assert call.answer().status == 200


def test_a_pull_that_takes_too_long_is_refused_with_how_far_it_is(fleet: Fleet, asker: Asker) -> None:
    fleet.hang()
    answer = asker.post("/api/chat", body("pull-4"))
    assert (answer.status, "retry-after" in answer.headers) == (503, True)
    assert answer.error == "'pull-4' is still being pulled onto studio (pulling manifest); try again"


def test_a_pull_that_nobody_waits_for_any_more_is_given_up(fleet: Fleet, asker: Asker) -> None:
    fleet.hang()
    call = Call(fleet.router.url, "/api/chat", json.dumps(body("pull-5")).encode())
    fleet.node.wait_for(lambda: fleet.node.node.seen.in_flight.now["pull-5:latest"])
    call.leave()
    fleet.node.wait_for(lambda: fleet.node.node.seen.cancelled["pull-5:latest"])
    until(lambda: results(fleet.router, "decisions?model=pull-5")[0]["outcome"] == "client_gone")


def test_a_key_without_the_right_to_pull_finds_nothing(fleet: Fleet, asker: Asker) -> None:
    before = fleet.pulls()
    answer = asker.post("/api/chat", body("pull-6"), authorization=f"Bearer {fleet.asker}")
    assert (answer.status, fleet.pulls()) == (404, before)


def test_a_key_with_the_right_to_pull_is_answered(fleet: Fleet, asker: Asker) -> None:
    assert asker.post("/api/chat", body("pull-7"), authorization=f"Bearer {fleet.puller}").status == 200


def test_a_model_that_is_known_and_fits_nowhere_is_never_pulled(fleet: Fleet, asker: Asker) -> None:
    before = fleet.pulls()
    assert (asker.post("/api/chat", body("large")).status, fleet.pulls()) == (503, before)


def test_a_model_that_no_node_can_hold_is_refused_with_the_reason(fleet: Fleet, asker: Asker) -> None:
    before = fleet.pulls()
    answer = asker.post("/api/chat", body("deepseek-r1:671b"))
    assert (answer.status, fleet.pulls()) == (503, before)
    assert "no node can hold deepseek-r1:671b" in answer.error
