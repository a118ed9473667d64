import pytest

from nodes.simulated.faults import Faults
from nodes.simulated.seen import Seen

from .raw import HELLO, raw

API = {"model": "m", "messages": HELLO, "options": {"num_predict": 9}}
V1 = {"model": "m", "messages": HELLO, "max_tokens": 9, "stream": True}


async def chat(node, body=API):
    return await raw(node, "POST", "/api/chat", body)


async def v1(node):
    return await raw(node, "POST", "/v1/chat/completions", V1)


async def test_a_torn_stream_ends_without_its_terminating_chunk(start):
    node = await start("m=1")
    node.faults.break_streams("torn", after=3)
    answer = await chat(node)
    assert (answer.status, answer.ended, answer.body.count(b'"done":false')) == ("200 OK", False, 3)


async def test_a_runner_that_dies_is_an_error_line_and_a_clean_end(start):
    node = await start("m=1")
    node.faults.break_streams("error", after=3)
    answer = await chat(node)
    last = b'{"error":"an error was encountered while running the model: unexpected EOF"}\n'
    assert (answer.status, answer.ended, answer.chunks[-1]) == ("200 OK", True, last)


async def test_on_v1_the_same_death_is_silent(start):
    node = await start("m=1")
    node.faults.break_streams("error", after=3)
    answer = await v1(node)
    last = answer.events()[-1]
    assert (answer.ended, last["model"], last["choices"][0]["finish_reason"]) == (True, "", None)
    assert b"error" not in answer.body
    assert b"[DONE]" not in answer.body


async def test_the_next_request_loads_the_model_again(start):
    node = await start("m=1")
    node.faults.break_streams("error", after=3, times=1)
    await chat(node)
    assert (await chat(node)).lines()[-1]["done"]
    assert node.seen.loads == {"m:latest": 2}


async def test_a_death_before_the_first_token_is_a_server_error(start):
    node = await start("m=1")
    node.faults.break_streams("error", after=0)
    assert (await chat(node)).status == "500 Internal Server Error"


async def test_a_death_in_a_whole_answer_is_a_server_error(start):
    node = await start("m=1")
    node.faults.break_streams("error", after=3)
    assert (await chat(node, API | {"stream": False})).status == "500 Internal Server Error"


async def test_a_torn_whole_answer_is_no_answer(start):
    node = await start("m=1")
    node.faults.break_streams("torn", after=3)
    assert (await chat(node, API | {"stream": False})).status == ""


async def test_a_silent_end_lacks_the_last_line(start):
    node = await start("m=1")
    node.faults.break_streams("silent", after=3)
    answer = await chat(node)
    assert (answer.ended, len(answer.lines()), answer.lines()[-1]["done"]) == (True, 3, False)


async def test_a_break_after_more_tokens_than_there_are_comes_before_the_last_line(start):
    node = await start("m=1")
    node.faults.break_streams("silent", after=99)
    assert len((await chat(node)).lines()) == 9


async def test_llama_cpp_dies_with_an_error_event(start):
    node = await start("m=1", engine="openai")
    node.faults.break_streams("error", after=2)
    assert (await v1(node)).events()[-1]["error"]["code"] == 500


async def test_a_broken_stream_gives_its_slot_back(start):
    node = await start("m=1")
    node.faults.break_streams("torn", after=2, times=1)
    await chat(node)
    await node.wait_for(lambda: node.seen.in_flight.now["m:latest"] == 0)
    assert (await chat(node)).lines()[-1]["done"]


async def test_the_next_requests_get_the_answer_that_was_set(start):
    node = await start("m=1")
    node.faults.answer(500, "llama runner process has terminated: exit status 2", times=2)
    first, second, third = [await chat(node) for _ in range(3)]
    assert first.json() == second.json() == {"error": "llama runner process has terminated: exit status 2"}
    assert (first.status, third.status) == ("500 Internal Server Error", "200 OK")


async def test_a_set_answer_speaks_the_dialect_of_the_route(start):
    node = await start("m=1")
    node.faults.answer(429, "slow down")
    assert (await v1(node)).json()["error"]["message"] == "slow down"


async def test_bytes_go_as_they_are(start):
    node = await start("m=1")
    node.faults.answer(502, b"<html>")
    answer = await chat(node)
    assert (answer.status, answer.body) == ("502 Bad Gateway", b"<html>")


async def test_inventory_is_told_whatever_answers_are_set(start):
    node = await start("m=1")
    node.faults.answer(503, "busy")
    assert (await raw(node, "GET", "/api/tags")).status == "200 OK"


async def test_healing_takes_every_fault_away(start):
    node = await start("m=1")
    node.faults.break_streams("torn", after=1)
    node.faults.answer(503, "busy")
    node.faults.hang()
    node.faults.heal()
    assert (await chat(node)).lines()[-1]["done"]


def test_an_unknown_way_to_break_is_refused():
    with pytest.raises(ValueError, match="'loudly' is no way to break: torn, error, silent"):
        Faults(Seen()).break_streams("loudly", after=1)
