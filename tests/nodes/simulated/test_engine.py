import asyncio

import pytest

from .raw import HELLO, raw


def generate(model, **more):
    return {"model": model, "prompt": "Hello", "stream": False} | more


async def ask(node, model, **more):
    return await raw(node, "POST", "/api/generate", generate(model, **more))


def at_once(node, model, count, **more):
    return [asyncio.create_task(ask(node, model, **more)) for _ in range(count)]


@pytest.mark.parametrize("parallel", [1, 3])
async def test_no_more_than_parallel_requests_generate_at_once(start, parallel):
    node = await start("m=1", parallel=parallel)
    node.faults.hang()
    asked = at_once(node, "m", 5)
    await node.wait_for(lambda: node.seen.in_flight.now["m:latest"] == 5)
    await node.wait_for(lambda: node.seen.generating.now["m:latest"] == parallel)
    node.faults.heal()
    await asyncio.gather(*asked)
    assert (node.seen.generating.peak["m:latest"], node.seen.in_flight.peak["m:latest"]) == (parallel, 5)


async def test_a_loaded_model_queues_without_end_and_without_503(start):
    node = await start("m=1", max_queue=0)
    await ask(node, "m")
    answers = await asyncio.gather(*at_once(node, "m", 6))
    assert {answer.status for answer in answers} == {"200 OK"}


async def test_a_full_queue_for_a_model_that_loads_is_503_in_the_recorded_words(start):
    node = await start("m=1", max_queue=2, load_gbps=10)
    answers = await asyncio.gather(*at_once(node, "m", 6))
    refused = [answer for answer in answers if answer.status == "503 Service Unavailable"]
    assert len(refused) == 3
    assert refused[0].json() == {"error": "server busy, please try again.  maximum pending requests exceeded"}


async def test_a_model_is_loaded_once_for_all_who_wait_for_it(start):
    node = await start("m=1", load_gbps=50)
    await asyncio.gather(*at_once(node, "m", 4))
    assert node.seen.loads == {"m:latest": 1}


async def test_a_model_that_is_being_loaded_is_listed(start):
    node = await start("m=1", load_gbps=0.01)
    asking = asyncio.create_task(ask(node, "m"))
    await node.wait_for(lambda: node.engine.runners)
    assert (await raw(node, "GET", "/api/ps")).json()["models"][0]["name"] == "m:latest"
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_the_least_recently_used_model_makes_room(start):
    node = await start("a=10,b=10,c=10", memory_gb=24)
    for model in ("a", "b", "a", "c"):
        await ask(node, model)
    assert node.seen.evictions == {"b:latest": 1}
    assert set(node.engine.runners) == {"a:latest", "c:latest"}


async def test_the_number_of_loaded_models_is_limited(start):
    node = await start("a=1,b=1", max_loaded=1)
    await ask(node, "a")
    await ask(node, "b")
    assert set(node.engine.runners) == {"b:latest"}


async def test_a_busy_model_is_not_evicted(start):
    node = await start("a=10,b=10", memory_gb=12)
    node.faults.hang()
    first = asyncio.create_task(ask(node, "a"))
    await node.wait_for(lambda: node.seen.generating.now["a:latest"] == 1)
    second = asyncio.create_task(ask(node, "b"))
    await node.wait_for(lambda: node.seen.in_flight.now["b:latest"] == 1)
    assert set(node.engine.runners) == {"a:latest"}
    node.faults.heal()
    assert [answer.status for answer in await asyncio.gather(first, second)] == ["200 OK", "200 OK"]


async def test_a_busy_model_that_is_not_kept_makes_room_when_it_ends(start):
    node = await start("a=10,b=10", memory_gb=12)
    node.faults.hang()
    first = asyncio.create_task(ask(node, "a", keep_alive=0))
    await node.wait_for(lambda: node.seen.generating.now["a:latest"] == 1)
    second = asyncio.create_task(ask(node, "b"))
    await node.wait_for(lambda: node.seen.in_flight.now["b:latest"] == 1)
    node.faults.heal()
    await asyncio.gather(first, second)
    assert (set(node.engine.runners), node.seen.evictions) == ({"b:latest"}, {})


async def test_a_model_too_big_for_the_machine_is_a_server_error(start):
    node = await start("llama3.3:70b=42", memory_gb=32)
    answer = await ask(node, "llama3.3:70b")
    assert answer.status == "500 Internal Server Error"
    assert answer.json()["error"].startswith(
        "model requires more system memory (43.0 GiB) than is available (29.8 GiB)"
    )


async def test_an_idle_model_expires(start):
    node = await start("m=1")
    await ask(node, "m", keep_alive="20ms")
    await node.wait_for(lambda: node.seen.unloads["m:latest"] == 1)
    assert not node.engine.runners


async def test_keep_alive_zero_unloads_after_the_answer(start):
    node = await start("m=1")
    await ask(node, "m", keep_alive=0)
    assert (node.seen.loads, node.seen.unloads) == ({"m:latest": 1}, {"m:latest": 1})


async def test_each_request_sets_the_time_anew(start):
    node = await start("m=1")
    await ask(node, "m", keep_alive=-1)
    await ask(node, "m")
    assert node.engine.runners["m:latest"].keep_alive == 300


async def test_another_context_reloads(start):
    node = await start("m=1")
    await ask(node, "m")
    await ask(node, "m", options={"num_ctx": 8192})
    assert (node.seen.loads["m:latest"], node.engine.runners["m:latest"].context) == (2, 8192)
    assert not node.seen.evictions


async def test_the_same_context_does_not_reload(start):
    node = await start("m=1")
    for _ in range(2):
        await ask(node, "m", options={"num_ctx": 8192})
    assert node.seen.loads["m:latest"] == 1


async def test_a_load_whose_client_left_is_given_up(start):
    node = await start("m=1", load_gbps=0.01)
    _, writer = await asyncio.open_connection("127.0.0.1", node.port)
    body = b'{"model":"m","prompt":"x"}'
    writer.write(b"POST /api/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await node.wait_for(lambda: node.engine.runners)
    writer.close()
    await node.wait_for(lambda: not node.engine.runners)
    assert (node.seen.cancelled["m:latest"], node.seen.loads["m:latest"]) == (1, 0)


async def test_a_prompt_over_the_context_is_cut_without_a_word(start):
    node = await start("m=1", context=1024)
    answer = await ask(node, "m", prompt="word " * 3000)
    assert answer.json()["prompt_eval_count"] == 514


async def test_versions_are_told_while_a_request_hangs(start):
    node = await start("m=1")
    node.faults.hang()
    asking = asyncio.create_task(raw(node, "POST", "/api/chat", {"model": "m", "messages": HELLO}))
    await node.wait_for(lambda: node.seen.generating.now["m:latest"] == 1)
    assert (await raw(node, "GET", "/api/version")).status == "200 OK"
    assert not asking.done()
    node.faults.heal()
    assert (await asking).lines()[-1]["done"]
