"""The heartbeat endpoint: who may speak, what is taken, how it is answered."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import orjson
import pytest

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.liveness import state
from nodes.fleet import use_fleet
from nodes.heartbeats import MOST_BYTES, Foreign, accept, heartbeat
from nodes.lib.live import current, install
from tests.nodes.parts import NOW, RecordingFleet, config
from tests.nodes.recorded import HEARTBEAT

KEY, OTHER_KEY = "studio-credential", "mini-credential"


def agent(node_id: str = "studio", key: str = KEY, **said: Any) -> NodeConfig:
    return config(id=node_id, name=node_id, credential=sha256(key.encode()).hexdigest(), **said)


@pytest.fixture(autouse=True)
def fleet(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordingFleet]:
    before, recording = current(NodeConfigs), RecordingFleet()
    monkeypatch.setattr("nodes.heartbeats._last", {})
    install(NodeConfigs((config(id="plain"), agent(), agent("mini", OTHER_KEY))))
    use_fleet(recording)  # type: ignore[arg-type]
    yield recording
    use_fleet(None)
    install(before)


def beat(**said: Any) -> dict[str, Any]:
    return HEARTBEAT | said


async def post(
    body: bytes | Mapping[str, Any], key: str = KEY, method: str = "POST", more: int = 0
) -> tuple[int, dict[bytes, bytes], dict[str, Any]]:
    """What the endpoint answers to this body, sent in 1 + `more` equal parts."""
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    parts = [{"type": "http.request", "body": content, "more_body": i < more} for i in range(more + 1)]
    sent: list[dict[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"authorization", f"Bearer {key}".encode())] if key else []
    await heartbeat({"type": "http", "method": method, "headers": headers}, receive, send)
    start, end = sent
    return start["status"], dict(start["headers"]), orjson.loads(end["body"])


async def test_a_heartbeat_with_the_right_credential_is_accepted(fleet: RecordingFleet) -> None:
    status, _, answer = await post(beat())
    assert (status, answer["status"], set(fleet.nodes["studio"].resident)) == (200, "accepted", {"qwen2.5:7b"})


async def test_the_answer_says_the_nodes_state() -> None:
    assert (await post(beat()))[2]["state"] == "unreachable"


async def test_a_probed_node_is_online_after_its_heartbeat(fleet: RecordingFleet) -> None:
    await post(beat())
    reached = fleet.nodes["studio"]
    fleet.nodes["studio"] = type(reached)(id="studio", reachable=True)
    assert (await post(beat(sequence=413)))[2]["state"] == "online"


@pytest.mark.parametrize("key", ["", "wrong", OTHER_KEY, sha256(KEY.encode()).hexdigest()])
async def test_a_missing_unknown_or_foreign_credential_is_401(key: str, fleet: RecordingFleet) -> None:
    status, headers, _ = await post(beat(), key)
    assert (status, headers[b"www-authenticate"], fleet.nodes) == (401, b"Bearer", {})


async def test_a_node_without_a_credential_takes_no_heartbeat() -> None:
    assert (await post(beat(node="plain"), ""))[0] == 401


async def test_a_pending_node_is_told_so_and_nothing_is_taken(fleet: RecordingFleet) -> None:
    install(NodeConfigs((agent(enrolment="pending"),)))
    status, _, answer = await post(beat())
    assert (status, answer["status"], fleet.nodes) == (403, "pending", {})


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", "the body"),
        (b"", "the body"),
        (b"\xff", "the body"),
        (b"[]", "the body"),
        (b"{}", "schema"),
        (orjson.dumps(HEARTBEAT | {"memory": {"pressure": "high"}}), "memory.pressure"),
    ],
)
async def test_a_misshapen_heartbeat_is_400_with_the_field(body: bytes, field: str, fleet: RecordingFleet) -> None:
    status, _, answer = await post(body)
    assert (status, answer["field"], fleet.nodes) == (400, field, {})


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD", "DELETE"])
async def test_another_method_is_405(method: str) -> None:
    status, headers, _ = await post(b"", method=method)
    assert (status, headers[b"allow"]) == (405, b"POST")


async def test_a_body_above_the_limit_is_413() -> None:
    assert (await post(b" " * (MOST_BYTES // 2 + 1), more=1))[0] == 413


async def test_an_agent_that_leaves_in_the_middle_is_not_answered(fleet: RecordingFleet) -> None:
    async def gone() -> Mapping[str, Any]:
        return {"type": "http.disconnect"}

    async def send(_: dict[str, Any]) -> None:
        raise AssertionError("nobody is there")

    await heartbeat({"method": "POST", "headers": [(b"authorization", f"Bearer {KEY}".encode())]}, gone, send)
    assert fleet.nodes == {}


async def test_a_heartbeat_that_a_later_one_overtook_changes_nothing(fleet: RecordingFleet) -> None:
    await post(beat(sequence=5, draining=True))
    await post(beat(sequence=4, draining=False))
    assert fleet.nodes["studio"].draining is True


async def test_a_restarted_agent_counts_from_the_beginning(fleet: RecordingFleet) -> None:
    await post(beat(sequence=5, draining=True))
    await post(beat(boot="b2", sequence=0, draining=False))
    assert fleet.nodes["studio"].draining is False


async def test_an_agent_that_drains_is_draining_until_it_says_otherwise() -> None:
    assert state(await accept("studio", beat(draining=True), NOW)) == "draining"


async def test_no_agent_speaks_for_another() -> None:
    with pytest.raises(Foreign):
        await accept("mini", beat(), NOW)


async def test_a_node_that_is_not_configured_is_not_taken() -> None:
    with pytest.raises(Foreign):
        await accept("ghost", beat(node="ghost"), NOW)
