"""Whatever happens to a request, it is answered in its dialect and is one decision."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson
import pytest

from nodes.core.values import DiskModel, QueueKey, Ticket
from nodes.fleet.memory import MemoryFleet
from routing import endpoints, pipeline
from routing.notebook import Notebook
from routing.protocols import PROTOCOLS
from tests.conftest import free_port
from tests.routing.asking import Reply, ask
from tests.routing.factories import HELLO, MODEL, node
from tests.routing.records import until

CHAT: dict[str, object] = {"model": MODEL, "messages": HELLO}
paths = pytest.mark.parametrize("path", PROTOCOLS)
Outcomes = Callable[[], list[object]]


@pytest.fixture
def outcomes(fleet: MemoryFleet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outcomes]:
    """The outcomes of the decisions so far, oldest first."""
    notebook = Notebook()
    for module in (endpoints, pipeline):
        monkeypatch.setattr(module, "notebook", notebook)
    yield lambda: [noted.row()["outcome"] for noted in notebook.take(100)]


def error_of(reply: Reply | None, path: str) -> str:
    """The message in its dialect."""
    assert reply is not None
    error = orjson.loads(reply.body)["error"]
    return str(error["message"] if path.startswith("/v1") else error)


@paths
async def test_json_that_is_none_is_a_bad_request(outcomes: Outcomes, path: str) -> None:
    reply = await ask(path, b'{"model": nonsense')
    assert reply is not None
    assert (reply.status, error_of(reply, path) != "") == (400, True)


@paths
async def test_what_is_refused_before_it_is_routed_is_a_decision(outcomes: Outcomes, path: str) -> None:
    await ask(path, b"[]")
    assert outcomes() == ["invalid"]


async def test_a_foreign_page_is_a_decision(outcomes: Outcomes) -> None:
    await ask("/api/chat", CHAT, headers=[(b"origin", b"https://evil.example")])
    assert outcomes() == ["refused"]


async def test_a_refusal_that_is_only_counted_names_no_decision(
    outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "worth_recording", lambda address, now: False)
    reply = await ask("/api/chat", CHAT, headers=[(b"origin", b"https://evil.example")])
    assert reply is not None
    assert (reply.status, b"x-fleet-decision" in reply.headers, outcomes()) == (403, False, [])


@paths
async def test_a_fault_of_ours_is_an_error_in_the_dialect(
    outcomes: Outcomes, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr(endpoints, "understood", None)
    reply = await ask(path, CHAT)
    assert reply is not None
    assert (reply.status, "internal error" in error_of(reply, path)) == (500, True)


async def test_a_model_that_nobody_has_is_a_decision(outcomes: Outcomes, fleet: MemoryFleet) -> None:
    await fleet.put_node(node("studio", "other:3b"))
    reply = await ask("/api/chat", CHAT)
    assert (reply and reply.status, outcomes()) == (404, ["unknown_model"])


@pytest.mark.parametrize("written", ["acme", "acme:latest", "ACME:latest", "library/acme"])
async def test_a_model_without_its_tag_is_the_same_queue(fleet: MemoryFleet, written: str) -> None:
    await fleet.put_node(replace(node("studio", "acme:latest"), parallel=1, url=f"http://127.0.0.1:{free_port()}"))
    taken = QueueKey("studio", "acme:latest")
    assert await fleet.join(Ticket("other", "server-1", 0.0), taken, 9)
    assert (await fleet.turn("other", lambda queue: 1)).state == "running"
    leaves = asyncio.Event()
    asking = asyncio.create_task(ask("/api/chat", CHAT | {"model": written}, leaves=leaves))
    await until(lambda: fleet.snapshot().queues[taken].pending == 1)
    leaves.set()
    assert await asking is None


async def test_who_leaves_while_held_is_no_success(outcomes: Outcomes, fleet: MemoryFleet) -> None:
    await fleet.put_node(replace(node(), paused=True))
    leaves = asyncio.Event()
    asking = asyncio.create_task(ask("/api/chat", CHAT, leaves=leaves))
    await until(lambda: fleet.snapshot().held == 1)
    leaves.set()
    assert (await asking, outcomes(), fleet.snapshot().held) == (None, ["client_gone"], 0)


async def test_the_root_answers_head_without_a_body(fleet: MemoryFleet) -> None:
    reply = await ask("/", method="HEAD")
    assert reply is not None and (reply.status, reply.body) == (200, b"")


async def test_a_listed_model_has_every_field_that_clients_want(fleet: MemoryFleet) -> None:
    await fleet.put_node(node(resident={}, on_disk={MODEL: DiskModel(MODEL, 4.7)}))
    reply = await ask("/api/tags", method="GET")
    assert reply is not None
    listed = orjson.loads(reply.body)["models"][0]
    assert {"name", "model", "modified_at", "size", "digest", "details"} <= set(listed)
    assert {"parent_model", "format", "family", "families", "parameter_size", "quantization_level"} <= set(
        listed["details"]
    )


async def test_a_local_page_may_read_its_answer(fleet: MemoryFleet) -> None:
    reply = await ask("/api/tags", method="GET", headers=[(b"origin", b"http://localhost:3000")])
    assert reply is not None and reply.headers[b"access-control-allow-origin"] == b"http://localhost:3000"
