import pytest

from .raw import HELLO, raw

CHAT = {"model": "m", "messages": HELLO, "stream": False}


async def test_there_is_no_control_unless_it_was_asked_for(ollama):
    assert (await raw(ollama, "GET", "/sim/seen")).status == "404 Not Found"


async def test_the_counters_are_told(start):
    node = await start("m=1", control=True)
    await raw(node, "POST", "/api/chat", CHAT)
    seen = (await raw(node, "GET", "/sim/seen")).json()
    assert (seen["completed"], seen["generating"]["peak"]) == ({"m:latest": 1}, {"m:latest": 1})


async def test_the_requests_are_told(start):
    node = await start("m=1", control=True)
    await raw(node, "GET", "/api/ps")
    received = (await raw(node, "GET", "/sim/received")).json()
    assert [(r["method"], r["path"]) for r in received] == [("GET", "/api/ps")]


async def test_faults_are_set_and_healed(start):
    node = await start("m=1", control=True)
    wanted = {"break": {"kind": "error", "after": 0}, "answer": {"status": 503, "body": "busy"}, "slow_load": 2}
    assert (await raw(node, "POST", "/sim/faults", wanted)).status == "204 No Content"
    assert [(await raw(node, "POST", "/api/chat", CHAT)).status[:3] for _ in range(2)] == ["503", "500"]
    await raw(node, "DELETE", "/sim/faults")
    assert (await raw(node, "POST", "/api/chat", CHAT)).status == "200 OK"


async def test_a_hang_is_set_and_taken_back(start):
    node = await start("m=1", control=True)
    await raw(node, "POST", "/sim/faults", {"hang": True})
    assert node.faults.hanging
    await raw(node, "POST", "/sim/faults", {"hang": False})
    assert not node.faults.hanging


async def test_a_refusal_ends_by_itself(start):
    node = await start("m=1", control=True)
    await raw(node, "POST", "/sim/refuse", {"seconds": 0.05})
    answered = False
    while not answered:
        try:
            answered = (await raw(node, "GET", "/api/version")).status == "200 OK"
        except ConnectionError:
            await node.wait_for(lambda: node.listening)
    assert answered


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("faults", {"flood": 1}, "no such fault: flood; there are break, answer, hang, slow_load"),
        ("faults", {"break": {"kind": "loudly", "after": 1}}, "this fault can't be set: 'loudly' is no way"),
        ("faults", {"slow_load": "much"}, "this fault can't be set: could not convert"),
        ("faults", b"{", "the body is no JSON"),
        ("faults", [], "the body is no JSON object"),
        ("refuse", {}, "say for how long"),
    ],
)
async def test_what_can_not_be_set_is_refused_with_the_reason(start, path, body, message):
    node = await start("m=1", control=True)
    answer = await raw(node, "POST", f"/sim/{path}", body)
    assert answer.status == "400 Bad Request"
    assert answer.json()["error"].startswith(message)
