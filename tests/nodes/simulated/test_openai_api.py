import base64
import struct

import pytest

from .raw import HELLO, WEATHER, WEATHER_TOOL, raw, same_shape

CHUNK = """{"id":"chatcmpl-759","object":"chat.completion.chunk","created":1796067899,"model":"smollm2:135m",
"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"1"},
"finish_reason":null}]}"""
FINISH = CHUNK.replace("null", '"length"')
USAGE = """{"id":"chatcmpl-759","object":"chat.completion.chunk","created":1796067900,"model":"smollm2:135m",
"system_fingerprint":"fp_ollama","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}"""
WHOLE = """{"id":"chatcmpl-5","object":"chat.completion","created":1796067901,"model":"smollm2:135m",
"system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"When"},
"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}"""
TEXT = """{"id":"cmpl-785","object":"text_completion","created":1796067902,"choices":[{"text":"It","index":0,
"finish_reason":null}],"model":"smollm2:135m","system_fingerprint":"fp_ollama"}"""
TEXT_WHOLE = """{"id":"cmpl-4","object":"text_completion","created":1796067902,"model":"smollm2:135m",
"system_fingerprint":"fp_ollama","choices":[{"text":"The","index":0,"finish_reason":"length"}],
"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}"""
CALL = """{"id":"chatcmpl-552","object":"chat.completion.chunk","created":1796068745,"model":"smollm2:tools",
"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[
{"id":"call_bszc1aws","index":0,"type":"function","function":{"name":"get_weather","arguments":"{}"}}]},
"finish_reason":null}]}"""
EMBEDDINGS = """{"object":"list","data":[{"object":"embedding","embedding":[-0.03640043],"index":0}],
"model":"all-minilm","usage":{"prompt_tokens":6,"total_tokens":6}}"""


def chat(**more):
    return {"model": "smollm2:135m", "messages": HELLO, "max_tokens": 4} | more


async def test_a_stream_has_the_recorded_events(ollama):
    answer = await raw(ollama, "POST", "/v1/chat/completions", chat(stream=True))
    first, *_, finish, done = answer.events()
    assert (answer.headers["Content-Type"], answer.ended, done) == ("text/event-stream", True, "[DONE]")
    assert same_shape(first, CHUNK)
    assert same_shape(finish, FINISH)


async def test_usage_comes_only_when_it_is_asked_for(ollama):
    asked = chat(stream=True, stream_options={"include_usage": True})
    *_, usage, _ = (await raw(ollama, "POST", "/v1/chat/completions", asked)).events()
    assert same_shape(usage, USAGE)
    assert usage["usage"] == {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


async def test_finish_usage_and_done_are_one_chunk(ollama):
    asked = chat(stream=True, stream_options={"include_usage": True})
    last = (await raw(ollama, "POST", "/v1/chat/completions", asked)).chunks[-1]
    assert last.count(b"data: ") == 3


async def test_a_whole_answer_has_the_recorded_shape_and_ends_with_a_line(ollama):
    answer = await raw(ollama, "POST", "/v1/chat/completions", chat())
    assert same_shape(answer.json(), WHOLE)
    assert (answer.headers["Content-Type"], answer.body[-1:]) == ("application/json", b"\n")


async def test_streamed_completions_have_the_recorded_events(ollama):
    body = {"model": "smollm2:135m", "prompt": "Hello", "max_tokens": 3, "stream": True}
    first, *_, done = (await raw(ollama, "POST", "/v1/completions", body)).events()
    assert (same_shape(first, TEXT), done) == (True, "[DONE]")


async def test_whole_completions_have_the_recorded_shape(ollama):
    body = {"model": "smollm2:135m", "prompt": "Hello", "max_tokens": 4}
    assert same_shape((await raw(ollama, "POST", "/v1/completions", body)).json(), TEXT_WHOLE)


async def test_a_tool_call_comes_in_one_event_with_arguments_as_a_text(ollama):
    body = chat(model="qwen2.5:7b", messages=WEATHER, tools=[WEATHER_TOOL], stream=True)
    call, finish, _ = (await raw(ollama, "POST", "/v1/chat/completions", body)).events()
    assert same_shape(call, CALL)
    assert call["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] == '{"city":"Berlin"}'
    assert finish["choices"][0]["finish_reason"] == "tool_calls"


async def test_embeddings_have_the_recorded_shape(ollama):
    body = {"model": "all-minilm", "input": ["a", "b"]}
    assert same_shape((await raw(ollama, "POST", "/v1/embeddings", body)).json(), EMBEDDINGS)


async def test_base64_embeddings_are_the_same_numbers(ollama):
    body = {"model": "all-minilm", "input": "a"}
    plain = (await raw(ollama, "POST", "/v1/embeddings", body)).json()["data"][0]["embedding"]
    packed = (await raw(ollama, "POST", "/v1/embeddings", body | {"encoding_format": "base64"})).json()
    unpacked = struct.unpack("<384f", base64.b64decode(packed["data"][0]["embedding"]))
    assert unpacked == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize(
    ("path", "body", "status", "message", "kind"),
    [
        ("chat/completions", chat(model="nope"), "404 Not Found", "model 'nope' not found", "not_found_error"),
        ("chat/completions", chat(messages=[]), "400 Bad Request", "[] is too short - 'messages'", "invalid_request"),
        ("chat/completions", b"{bad", "400 Bad Request", "invalid character 'b' looking", "invalid_request_error"),
        ("embeddings", {"model": "nope"}, "404 Not Found", 'model "nope" not found, try', "not_found_error"),
        ("embeddings", {"model": "smollm2:135m"}, "501 Not Implemented", "This server does not", "api_error"),
    ],
)
async def test_errors_have_the_recorded_form(ollama, path, body, status, message, kind):
    answer = await raw(ollama, "POST", f"/v1/{path}", body)
    error = answer.json()["error"]
    assert (answer.status, error["param"], error["code"]) == (status, None, None)
    assert (answer.headers["Content-Type"], answer.body[-1:]) == ("application/json", b"\n")
    assert error["message"].startswith(message)
    assert error["type"].startswith(kind)
