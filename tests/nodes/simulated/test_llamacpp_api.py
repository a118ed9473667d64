import asyncio

import pytest

from .raw import HELLO, WEATHER, WEATHER_TOOL, raw, same_shape

FIRST = """{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],
"created":1796068424,"id":"chatcmpl-GC","model":"smollm2","system_fingerprint":"b1","object":"chat.completion.chunk"}"""
SECOND = FIRST.replace('{"role":"assistant","content":null}', '{"content":"!"}')
MODELS = """{"models":[{"name":"smollm2","model":"smollm2","modified_at":"","size":"","digest":"","type":"model",
"description":"","tags":[""],"capabilities":["completion"],"parameters":"","details":{"parent_model":"",
"format":"gguf","family":"","families":[""],"parameter_size":"","quantization_level":""}}],"object":"list"}"""


def chat(**more):
    return {"model": "smollm2", "messages": HELLO, "max_tokens": 3} | more


async def test_every_answer_names_the_server_and_has_no_date(llama):
    answer = await raw(llama, "GET", "/health")
    assert (answer.headers["Server"], answer.headers["Access-Control-Allow-Origin"]) == ("llama.cpp", "")
    assert (answer.body, "Date" in answer.headers) == (b'{"status":"ok"}', False)


async def test_the_models_are_listed_in_both_forms(llama):
    listed = (await raw(llama, "GET", "/v1/models")).json()
    data = listed.pop("data")[0]
    assert same_shape(listed, MODELS)
    assert (data["id"], data["owned_by"], data["meta"]["n_ctx"]) == ("smollm2", "llamacpp", 4096)


async def test_the_role_comes_with_the_first_token_in_a_chunk_of_its_own(llama):
    answer = await raw(llama, "POST", "/v1/chat/completions", chat(stream=True))
    role, token, *_, done = answer.events()
    assert answer.chunks[0].count(b"data: ") == 2
    assert same_shape(role, FIRST)
    assert same_shape(token, SECOND)
    assert (answer.headers["X-Accel-Buffering"], done) == ("no", "[DONE]")


async def test_the_finish_has_an_empty_delta_and_timings(llama):
    *_, finish, _ = (await raw(llama, "POST", "/v1/chat/completions", chat(stream=True))).events()
    assert finish["choices"][0] == {"finish_reason": "length", "index": 0, "delta": {}}
    assert finish["timings"]["predicted_n"] == 3


async def test_usage_comes_in_a_chunk_without_choices(llama):
    body = chat(stream=True, stream_options={"include_usage": True})
    *_, usage, _ = (await raw(llama, "POST", "/v1/chat/completions", body)).events()
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 3)


async def test_completions_always_end_with_the_usage(llama):
    body = {"prompt": "Hello", "max_tokens": 2, "stream": True}
    *_, last, _ = (await raw(llama, "POST", "/v1/completions", body)).events()
    assert (last["choices"][0]["finish_reason"], last["usage"]["completion_tokens"]) == ("length", 2)


async def test_any_name_is_accepted_and_the_answer_says_the_real_one(llama):
    answer = await raw(llama, "POST", "/v1/chat/completions", chat(model="nope"))
    assert (answer.status, answer.json()["model"]) == ("200 OK", "smollm2")


async def test_a_tool_call_comes_in_pieces(llama):
    body = chat(messages=WEATHER, tools=[WEATHER_TOOL], stream=True)
    events = (await raw(llama, "POST", "/v1/chat/completions", body)).events()
    calls = [e["choices"][0]["delta"]["tool_calls"][0] for e in events[1:3]]
    assert "".join(call["function"]["arguments"] for call in calls) == '{"city":"Berlin"}'
    assert events[-2]["choices"][0]["finish_reason"] == "tool_calls"


async def test_ollamas_routes_are_not_found(llama):
    answer = await raw(llama, "GET", "/api/tags")
    assert (answer.status, answer.json()) == (
        "404 Not Found",
        {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}},
    )


async def test_a_wrong_method_is_not_found_either(llama):
    assert (await raw(llama, "GET", "/v1/chat/completions")).status == "404 Not Found"


async def test_the_slots_say_how_many_there_are(start):
    node = await start("m=1", engine="openai", parallel=3)
    assert (await raw(node, "GET", "/props")).json()["total_slots"] == 3
    assert [slot["is_processing"] for slot in (await raw(node, "GET", "/slots")).json()] == [False] * 3


async def test_everything_is_503_while_the_model_is_loaded(start):
    node = await start("m=1", engine="openai", load_gbps=0.001)
    for path in ("/health", "/v1/models"):
        answer = await raw(node, "GET", path)
        assert answer.status == "503 Service Unavailable"
        assert answer.json()["error"] == {"code": 503, "message": "Loading model", "type": "unavailable_error"}


async def test_an_embedding_model_embeds(start):
    node = await start("all-minilm=0.05", engine="openai")
    answer = await raw(node, "POST", "/v1/embeddings", {"input": ["a", "b"]})
    assert [entry["index"] for entry in answer.json()["data"]] == [0, 1]


async def test_no_more_than_its_slots_are_answered_at_once(start):
    node = await start("m=1", engine="openai", parallel=2)
    node.faults.hang()
    asked = [asyncio.create_task(raw(node, "POST", "/v1/chat/completions", chat(model="m"))) for _ in range(4)]
    await node.wait_for(lambda: node.seen.in_flight.now["m:latest"] == 4)
    assert node.seen.generating.now["m:latest"] == 2
    node.faults.heal()
    await asyncio.gather(*asked)
    assert node.seen.generating.peak["m:latest"] == 2


LONG = [{"role": "user", "content": "word " * 5000}]


@pytest.mark.parametrize(
    ("path", "body", "status", "message", "kind"),
    [
        ("chat/completions", b"{bad", "400 Bad Request", "[json.exception.parse_error.101]", "invalid_request_error"),
        ("chat/completions", {}, "400 Bad Request", "'messages' is required", "invalid_request_error"),
        ("embeddings", {"input": "x"}, "501 Not Implemented", "This server does not", "not_supported_error"),
        ("chat/completions", chat(messages=LONG), "400 Bad Request", "request (50", "exceed_context_size_error"),
    ],
)
async def test_errors_have_the_recorded_form(llama, path, body, status, message, kind):
    answer = await raw(llama, "POST", f"/v1/{path}", body)
    error = answer.json()["error"]
    assert (answer.status, error["code"], error["type"]) == (status, int(status[:3]), kind)
    assert error["message"].startswith(message)
