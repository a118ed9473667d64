"""What is answered has the form that the schema names."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from nodes import roster
from nodes.core.values import Capacity, DiskModel, FleetSnapshot, Latency, NodeSnapshot, QueueDepth, QueueKey
from nodes.core.values import ResidentModel as Resident
from nodes.fleet import use_fleet
from routing import aliases, keys
from routing.core.signals import SIGNALS as SIGNAL_TABLE
from routing.models import ModelAlias
from tests.routing.records import record

pytestmark = pytest.mark.django_db
MODEL = "llama3:8b"
QUEUE = QueueKey("studio", MODEL)
SEEN = NodeSnapshot(
    "studio",
    name="studio",
    resident={MODEL: Resident(MODEL, 5.0, 4096, expires_at=1_700_000_300)},
    on_disk={MODEL: DiskModel(MODEL)},
    capacity=Capacity(learning=True),
)
FLEET = FleetSnapshot(1_700_000_000, (SEEN,), {QUEUE: QueueDepth(1, 2, 1_699_999_990)}, {QUEUE: Latency(2000, 9)})
SIGNALS = {signal.name: 1.0 for signal in SIGNAL_TABLE}
SCORED = {"node": "studio", "model": MODEL, "score": 50.0, "signals": SIGNALS, "inputs": {"depth": 0}}
TRIED = {"node": "mini", "error": "refused", "ms": 3.0}
OUT = {"node": "mini", "model": MODEL, "reason": "paused"}


class Still:
    """A fleet that is what it is."""

    def snapshot(self) -> FleetSnapshot:
        return FLEET


@pytest.fixture(autouse=True)
def _fleet() -> Iterator[None]:
    """Two nodes, one of which the router sees; a key; decisions, one with all that there can be."""
    use_fleet(Still())  # type: ignore[arg-type]
    roster.add("studio", "http://a", numbers={"parallel": 2})
    roster.add("mini", "http://b")
    keys.create("laptop", rpm=60)
    aliases.save(ModelAlias(name="fast", target=MODEL))
    record()
    record(
        id="known", candidates=[SCORED], eliminated=[OUT], eliminated_counts={"paused": 1}, attempts=[TRIED], tags=["a"]
    )
    yield
    use_fleet(None)


def misfits(schema: dict[str, Any], path: str, method: str, status: int, answer: object) -> list[str]:
    """What of the answer has not the form of that operation."""
    said = schema["paths"][f"/fleet/api/v1/{path}"][method]["responses"][str(status)]
    form = said["content"]["application/json"]["schema"] | {"components": schema["components"]}
    return [error.message for error in Draft202012Validator(form).iter_errors(answer)]


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("nodes", "nodes"),
        ("nodes/{name}", "nodes/mini"),
        ("nodes/{name}", "nodes/nope"),
        ("queues", "queues"),
        ("queues", "queues?colour=red"),
        ("latency", "latency"),
        ("decisions", "decisions"),
        ("decisions", "decisions?limit=1"),
        ("decisions", "decisions?limit=0&node="),
        ("decisions/{decision}", "decisions/known"),
        ("decisions/{decision}", "decisions/unknown"),
        ("parameters", "parameters"),
        ("keys", "keys"),
        ("aliases", "aliases"),
        ("aliases/{name}", "aliases/fast"),
        ("aliases/{name}", "aliases/nope"),
    ],
)
def test_an_answer_has_its_form(schema: dict[str, Any], reader: APIClient, template: str, path: str) -> None:
    answer = reader.get(f"/fleet/api/v1/{path}")
    assert misfits(schema, template, "get", answer.status_code, answer.json()) == []


@pytest.mark.parametrize(
    ("template", "path", "body"),
    [
        ("nodes", "nodes", {"name": "b", "url": "http://c"}),
        ("nodes", "nodes", {"name": "b"}),
        ("nodes", "nodes", {"name": "b", "url": "ftp://c"}),
        ("nodes/{name}/{action}", "nodes/mini/pause", None),
        ("nodes/{name}/{action}", "nodes/nope/pause", None),
        ("keys", "keys", {"name": "b", "models": ["a"], "expires": "1d"}),
        ("keys", "keys", {"name": "laptop"}),
        ("keys/{name}/revoke", "keys/laptop/revoke", None),
        ("explain", "explain", {"request": {"models": ["m"]}, "now": 1, "nodes": []}),
        ("explain", "explain", {"request": 7}),
    ],
)
def test_the_answer_to_a_post_has_its_form(
    schema: dict[str, Any], operator: APIClient, template: str, path: str, body: object
) -> None:
    answer = operator.post(f"/fleet/api/v1/{path}", body, format="json")
    assert misfits(schema, template, "post", answer.status_code, answer.json()) == []


@pytest.mark.parametrize("body", [{"FLEET_MAX_QUEUE": 9, "note": "less"}, {"FLEET_MAX_QUEUE": 0}, []])
def test_the_answer_to_a_change_of_parameters_has_its_form(
    schema: dict[str, Any], operator: APIClient, body: object
) -> None:
    answer = operator.patch("/fleet/api/v1/parameters", body, format="json")
    assert misfits(schema, "parameters", "patch", answer.status_code, answer.json()) == []


def test_a_stranger_is_answered_in_the_form_of_an_error(schema: dict[str, Any], reader: APIClient) -> None:
    answer = reader.get("/fleet/api/v1/nodes", REMOTE_ADDR="192.168.1.9")
    assert (answer.status_code, misfits(schema, "nodes", "get", 401, answer.json())) == (401, [])


def test_a_process_without_a_router_answers_in_the_form_of_an_error(schema: dict[str, Any], reader: APIClient) -> None:
    use_fleet(None)
    answer = reader.get("/fleet/api/v1/queues")
    assert (answer.status_code, misfits(schema, "queues", "get", 503, answer.json())) == (503, [])
