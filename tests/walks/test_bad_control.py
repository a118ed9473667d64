"""What an operator gets wrong: a sentence and a remedy, by command and by API."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.conftest import Router, until
from tests.walks.doors_asking import Asker, Reply, asking

API = "/fleet/api/v1"


@pytest.fixture(scope="module")
def router(module_router: Router) -> Iterator[Router]:
    """A router with one node that nobody answers for."""
    module_router.manage("node", "add", "studio", "http://127.0.0.1:9")
    yield module_router
    assert "Traceback" not in module_router.stderr


@pytest.fixture
def reader(router: Router) -> Iterator[Asker]:
    """Somebody on this machine."""
    with asking(router) as asker:
        yield asker


@pytest.fixture
def operator(router: Router) -> Iterator[Asker]:
    """Who holds the control token."""
    with asking(router, Authorization=f"Bearer {router.token}", Content_Type="application/json") as asker:
        yield asker


WRONG: Mapping[str, tuple[tuple[str, ...], str]] = {
    "an address that is none": (("node", "add", "x", "http://"), "has no host"),
    "not a number": (("node", "add", "x", "studio", "--memory-gb", "nan"), "--memory-gb"),
    "a name that is taken": (("node", "add", "studio", "http://127.0.0.1:10"), "already"),
    "a key for no time": (("key", "create", "x", "--expires", "0d"), "no duration"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_command_ends_with_a_sentence(router: Router, what: str) -> None:
    words, said = WRONG[what]
    run = router.manage(*words, check=False)
    assert (run.returncode != 0, said in run.stderr, "Traceback" in run.stderr) == (True, True, False), run.stderr


def in_words(reply: Reply, status: int) -> bool:
    """Is it this status, with JSON that says why?"""
    said: Any = reply.json()
    return reply.status == status and isinstance(said, dict) and bool(said)


@pytest.mark.parametrize(
    "query",
    ["limit=x", "limit=0", "limit=100000", "since=yesterday", "before=x", "since=1e99", "limit=%00", "before=9" * 9],
)
def test_a_wrong_query_is_400_in_words(reader: Asker, query: str) -> None:
    assert in_words(reader.get(f"{API}/decisions?{query}"), 400)


@pytest.mark.parametrize("number", ["nope", "%00", "x" * 2000, "é".encode().hex(), "1%2f2"])
def test_an_unknown_decision_is_404(reader: Asker, number: str) -> None:
    assert reader.get(f"{API}/decisions/{number}").status == 404


BODIES: Mapping[str, str | bytes] = {
    "no JSON": "x",
    "no UTF-8": b'{"a":"\xff"}',
    "an array": "[]",
    "a number": "5",
    "nothing": "",
    "nothing in it": "{}",
    "an unknown name": '{"FLEET_NONSENSE": 1}',
    "a wrong type": '{"FLEET_MAX_QUEUE": "many"}',
    "out of range": '{"FLEET_MAX_QUEUE": -5}',
    "a list": '{"FLEET_MAX_QUEUE": [1]}',
    "a network that is none": '{"FLEET_TRUSTED_PROXIES": "nonsense"}',
    "a note that is none": '{"FLEET_MAX_QUEUE": 5, "note": {}}',
    "infinity": '{"FLEET_HOLD_TIMEOUT": Infinity}',
    "too deep": "[" * 5000,
}


@pytest.mark.parametrize("what", BODIES)
def test_a_wrong_change_of_parameters_is_400_in_words(operator: Asker, what: str) -> None:
    assert in_words(operator.ask("PATCH", f"{API}/parameters", BODIES[what]), 400)


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer wrong", "Basic eDp5", "Bearer é"])
def test_a_change_without_the_right_token_is_refused(reader: Asker, token: str) -> None:
    headers = {"Authorization": token} if token else {}
    reply = reader.ask("PATCH", f"{API}/parameters", {"FLEET_MAX_QUEUE": 5}, Content_Type="application/json", **headers)
    assert reply.status in (401, 403)


@pytest.mark.parametrize(
    "case", ["x", "5", "[5]", '{"nodes": 5}', '{"now": "noon"}', '{"request": {"models": [1]}}', ""]
)
def test_a_wrong_case_to_explain_is_answered_in_words(reader: Asker, case: str) -> None:
    reply = reader.post(f"{API}/explain", case)
    assert reply.status == 400 or "error" in reply.json()[0]


def test_an_action_on_an_unknown_node_is_404(operator: Asker) -> None:
    assert in_words(operator.post(f"{API}/nodes/nobody/pause", b""), 404)


def test_an_unknown_action_is_404(operator: Asker) -> None:
    assert operator.post(f"{API}/nodes/studio/explode", b"").status == 404


@pytest.mark.parametrize("path", ["queues", "decisions", "latency", "parameters"])
def test_a_list_can_not_be_posted_to(operator: Asker, path: str) -> None:
    assert operator.post(f"{API}/{path}", b"{}").status == 405


HEARTBEATS = ("", "x", "[]", "{}", '{"schema": 1}', '{"schema": 1e999}', "[" * 5000, json.dumps({"x": "y" * 100}))


@pytest.mark.parametrize("body", HEARTBEATS)
def test_a_heartbeat_of_nobody_is_401_whatever_it_says(reader: Asker, body: str) -> None:
    assert in_words(reader.post(f"{API}/heartbeat", body), 401)


@pytest.mark.parametrize("body", HEARTBEATS)
def test_a_wrong_heartbeat_of_a_node_is_400_in_words(router: Router, credential: str, body: str) -> None:
    with asking(router, Authorization=f"Bearer {credential}") as agent:
        assert in_words(agent.post(f"{API}/heartbeat", body), 400)
        assert agent.get("/healthz").status == 200


@pytest.fixture(scope="module")
def credential(router: Router) -> str:
    """The credential of a node's agent, in force."""
    secret = router.manage("node", "credential", "studio").stdout.strip()
    with asking(router, Authorization=f"Bearer {secret}") as agent:
        until(lambda: agent.post(f"{API}/heartbeat", "{}").status == 400)
    return secret
