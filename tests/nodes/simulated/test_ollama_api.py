import pytest

from .raw import HELLO, WEATHER, WEATHER_TOOL, raw, same_shape

CHAT = """{"model":"smollm2:135m","created_at":"2026-11-30T19:44:57.575850919Z","message":{"role":"assistant",
"content":"I"},"done":false}"""
CHAT_END = """{"model":"smollm2:135m","created_at":"2026-11-30T19:44:57.85332082Z","message":{"role":"assistant",
"content":""},"done":true,"done_reason":"length","total_duration":665506254,"load_duration":107713317,
"prompt_eval_count":10,"prompt_eval_duration":275768000,"eval_count":6,"eval_duration":278999000}"""
GENERATE = '{"model":"smollm2:135m","created_at":"2026-11-30T19:44:54.773067607Z","response":"I","done":false}'
GENERATE_END = """{"model":"smollm2:135m","created_at":"2026-11-30T19:44:55.811737638Z","response":"","done":true,
"done_reason":"length","context":[1,4093],"total_duration":1181477476,"load_duration":87308282,
"prompt_eval_count":10,"prompt_eval_duration":53163000,"eval_count":6,"eval_duration":1037806000}"""
CALL = """{"model":"smollm2:tools","created_at":"2026-11-30T19:59:03.392146973Z","message":{"role":"assistant",
"content":"","tool_calls":[{"id":"call_zwz77voz","function":{"index":0,"name":"get_weather",
"arguments":{"city":"Berlin"}}}]},"done":false}"""
EMBED = """{"model":"all-minilm","embeddings":[[-0.062879354]],"total_duration":685562160,"load_duration":34720842,
"prompt_eval_count":6}"""
SIX = {"num_predict": 6}


def chat(**more):
    return {"model": "smollm2:135m", "messages": HELLO} | more


async def test_a_streamed_chat_has_the_recorded_lines(ollama):
    answer = await raw(ollama, "POST", "/api/chat", chat(options=SIX))
    first, *_, last = answer.lines()
    assert (answer.status, answer.headers["Content-Type"], answer.ended) == ("200 OK", "application/x-ndjson", True)
    assert same_shape(first, CHAT)
    assert same_shape(last, CHAT_END)


async def test_each_line_is_a_chunk_of_its_own(ollama):
    answer = await raw(ollama, "POST", "/api/chat", chat(options=SIX))
    assert all(chunk.count(b"\n") == 1 and chunk.endswith(b"}\n") for chunk in answer.chunks)


async def test_a_streamed_generate_has_the_recorded_lines(ollama):
    answer = await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m", "prompt": "Hello", "options": SIX})
    first, *_, last = answer.lines()
    assert same_shape(first, GENERATE)
    assert same_shape(last, GENERATE_END)


async def test_a_limit_is_kept_and_named_as_the_reason(ollama):
    last = (await raw(ollama, "POST", "/api/chat", chat(options=SIX))).lines()[-1]
    assert (last["eval_count"], last["done_reason"]) == (6, "length")


async def test_without_a_limit_the_answer_stops_by_itself(ollama):
    last = (await raw(ollama, "POST", "/api/chat", chat())).lines()[-1]
    assert (last["eval_count"], last["done_reason"]) == (12, "stop")


async def test_a_whole_chat_is_one_object_with_its_length(ollama):
    answer = await raw(ollama, "POST", "/api/chat", chat(stream=False, options=SIX))
    assert same_shape(answer.json(), CHAT_END)
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert int(answer.headers["Content-Length"]) == len(answer.body)


async def test_streamed_and_whole_say_the_same(ollama):
    streamed = (await raw(ollama, "POST", "/api/chat", chat())).lines()
    whole = (await raw(ollama, "POST", "/api/chat", chat(stream=False))).json()
    assert "".join(line["message"]["content"] for line in streamed) == whole["message"]["content"]


async def test_the_name_comes_back_as_the_client_wrote_it(ollama):
    body = {"model": "SmolLM2:135M", "messages": HELLO, "stream": False}
    assert (await raw(ollama, "POST", "/api/chat", body)).json()["model"] == "SmolLM2:135M"


async def test_a_long_whole_answer_is_chunked(ollama):
    answer = await raw(ollama, "POST", "/api/chat", chat(stream=False, options={"num_predict": 900}))
    assert (answer.headers.get("Transfer-Encoding"), "Content-Length" in answer.headers) == ("chunked", False)


async def test_an_empty_prompt_loads(ollama):
    answer = await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m"})
    assert same_shape(answer.json(), '{"model":"","created_at":"","response":"","done":true,"done_reason":"load"}')
    assert answer.json()["done_reason"] == "load"
    assert ollama.seen.loads == {"smollm2:135m": 1}


async def test_an_empty_chat_loads(ollama):
    assert (await raw(ollama, "POST", "/api/chat", chat(messages=[]))).json()["done_reason"] == "load"


async def test_an_empty_prompt_without_keep_alive_unloads(ollama):
    await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m"})
    answer = await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m", "keep_alive": 0})
    assert answer.json()["done_reason"] == "unload"
    assert not ollama.engine.runners


async def test_a_tool_call_comes_whole_with_arguments_as_an_object(ollama):
    body = {"model": "qwen2.5:7b", "messages": WEATHER, "tools": [WEATHER_TOOL]}
    call, end = (await raw(ollama, "POST", "/api/chat", body)).lines()
    assert same_shape(call, CALL)
    assert call["message"]["tool_calls"][0]["function"]["arguments"] == {"city": "Berlin"}
    assert end["done_reason"] == "stop"


async def test_embeddings_have_the_recorded_shape(ollama):
    answer = await raw(ollama, "POST", "/api/embed", {"model": "all-minilm", "input": ["a", "b"]})
    assert same_shape(answer.json(), EMBED)
    assert (len(answer.json()["embeddings"]), answer.headers["Transfer-Encoding"]) == (2, "chunked")


async def test_no_input_loads_an_embedding_model(ollama):
    answer = await raw(ollama, "POST", "/api/embed", {"model": "all-minilm"})
    assert answer.json() == {"model": "all-minilm", "embeddings": []}
    assert ollama.seen.loads == {"all-minilm:latest": 1}


async def test_the_old_route_answers_one_vector(ollama):
    answer = await raw(ollama, "POST", "/api/embeddings", {"model": "all-minilm", "prompt": "a"})
    assert len(answer.json()["embedding"]) == 384


TOOLS = [WEATHER_TOOL]
LONG = "word " * 600


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("/api/chat", {"model": "nope", "messages": HELLO}, "404 Not Found", "model 'nope' not found"),
        ("/api/generate", {"model": "nope", "prompt": "x"}, "404 Not Found", "model 'nope' not found"),
        ("/api/generate", {"prompt": "x"}, "404 Not Found", "model '' not found"),
        ("/api/embed", {"model": "nope"}, "404 Not Found", 'model "nope" not found, try pulling it first'),
        ("/api/chat", chat(tools=TOOLS), "400 Bad Request", "library/smollm2:135m does not support tools"),
        ("/api/chat", chat(think=True), "400 Bad Request", '"smollm2:135m" does not support thinking'),
        ("/api/chat", chat(model="all-minilm"), "400 Bad Request", '"all-minilm" does not support chat'),
        ("/api/generate", {"model": "all-minilm"}, "400 Bad Request", '"all-minilm" does not support generate'),
        ("/api/embed", {"model": "smollm2:135m", "input": "x"}, "501 Not Implemented", "with `--embeddings`"),
        ("/api/embed", {"model": "all-minilm", "input": 3}, "400 Bad Request", "invalid input type"),
        (
            "/api/embed",
            {"model": "all-minilm", "input": LONG, "truncate": False},
            "400 Bad Request",
            "the input length exceeds the context length",
        ),
        ("/api/embeddings", {}, "400 Bad Request", "model is required"),
    ],
)
async def test_what_can_not_be_done_is_refused_in_the_recorded_words(ollama, path, body, status, error):
    answer = await raw(ollama, "POST", path, body)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/json; charset=utf-8")
    assert answer.json()["error"].endswith(error)
