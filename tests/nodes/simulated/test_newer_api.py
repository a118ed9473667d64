"""`/v1/messages` and `/v1/responses`, as they were recorded from real engines."""

from .raw import HELLO, WEATHER, raw, same_shape

MESSAGE = """{"id":"msg_1d39314668d537e4c5c954d7","type":"message","role":"assistant","model":"smollm2:135m",
"content":[{"type":"text","text":"A little wizard"}],"stop_reason":"max_tokens",
"usage":{"input_tokens":10,"output_tokens":4}}"""
TOOL = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}
FLAT = {"type": "function", "name": "get_weather", "parameters": TOOL["input_schema"]}
MESSAGE_EVENTS = ["message_start", "content_block_start", *["content_block_delta"] * 4, "content_block_stop"]
MESSAGE_EVENTS += ["message_delta", "message_stop"]
OPENING = ["response.created", "response.in_progress", "response.output_item.added"]
RESPONSE_EVENTS = [*OPENING, "response.content_part.added", *["response.output_text.delta"] * 4]
RESPONSE_EVENTS += ["response.output_text.done", "response.content_part.done"]
RESPONSE_EVENTS += ["response.output_item.done", "response.completed"]


def message(**more):
    return {"model": "smollm2:135m", "max_tokens": 4, "messages": HELLO} | more


def response(**more):
    return {"model": "smollm2:135m", "max_output_tokens": 4, "input": "Hello"} | more


def names(answer):
    return [line.removeprefix(b"event: ").decode() for line in answer.text.splitlines() if line.startswith(b"event: ")]


def data(answer):
    return [event.split(b"\ndata: ")[1] for event in answer.text.split(b"\n\n") if event]


async def test_a_whole_message_has_the_recorded_shape(ollama):
    answer = await raw(ollama, "POST", "/v1/messages", message())
    assert same_shape(answer.json(), MESSAGE)
    assert list(answer.json()) == ["id", "type", "role", "model", "content", "stop_reason", "usage"]


async def test_a_streamed_message_has_the_events_in_their_order(ollama, llama):
    assert names(await raw(ollama, "POST", "/v1/messages", message(stream=True))) == MESSAGE_EVENTS
    assert names(await raw(llama, "POST", "/v1/messages", message(stream=True))) == MESSAGE_EVENTS


async def test_a_call_of_a_tool_is_one_block_with_one_delta(ollama):
    asked = message(model="qwen2.5:7b", messages=WEATHER, tools=[TOOL], stream=True)
    answer = await raw(ollama, "POST", "/v1/messages", asked)
    assert b'"partial_json":"{\\"city\\":\\"Berlin\\"}"' in answer.text and b'"stop_reason":"tool_use"' in answer.text


async def test_a_message_without_a_limit_is_refused_in_anthropics_form(ollama):
    answer = await raw(ollama, "POST", "/v1/messages", {"model": "smollm2:135m", "messages": HELLO})
    assert answer.json()["error"]["message"] == "max_tokens is required and must be positive"
    assert answer.json()["type"] == "error"


async def test_a_streamed_response_has_the_events_in_their_order(ollama, llama):
    assert names(await raw(ollama, "POST", "/v1/responses", response(stream=True))) == RESPONSE_EVENTS
    assert names(await raw(llama, "POST", "/v1/responses", response(stream=True))) == RESPONSE_EVENTS


async def test_the_events_of_a_response_are_numbered_without_a_gap(ollama):
    answer = await raw(ollama, "POST", "/v1/responses", response(stream=True))
    assert [b'"sequence_number":%d' % i in event for i, event in enumerate(data(answer))] == [True] * 12


async def test_a_response_that_was_cut_says_completed_all_the_same(ollama):
    answer = (await raw(ollama, "POST", "/v1/responses", response())).json()
    assert (answer["status"], answer["incomplete_details"]) == ("completed", None)
    assert answer["usage"]["output_tokens"] == 4


async def test_a_response_calls_a_tool(ollama):
    answer = (
        await raw(ollama, "POST", "/v1/responses", {"model": "qwen2.5:7b", "input": WEATHER, "tools": [FLAT]})
    ).json()
    assert [(item["type"], item["arguments"]) for item in answer["output"]] == [("function_call", '{"city":"Berlin"}')]


async def test_a_streamed_call_has_its_events_in_their_order(ollama):
    asked = {"model": "qwen2.5:7b", "input": WEATHER, "tools": [FLAT], "stream": True}
    arguments = ["response.function_call_arguments.delta", "response.function_call_arguments.done"]
    ending = ["response.output_item.done", "response.completed"]
    assert names(await raw(ollama, "POST", "/v1/responses", asked)) == [*OPENING, *arguments, *ending]


async def test_a_runner_that_dies_ends_both_streams_without_a_word(ollama):
    ollama.faults.break_streams("error", after=2)
    for path, asked in (("/v1/messages", message(stream=True)), ("/v1/responses", response(stream=True))):
        answer = await raw(ollama, "POST", path, asked)
        assert names(answer)[-1].endswith("delta") and answer.ended


async def test_llama_cpp_tells_of_an_error_in_a_message(llama):
    llama.faults.break_streams("error", after=2)
    assert names(await raw(llama, "POST", "/v1/messages", message(stream=True)))[-1] == "error"


async def test_an_older_ollama_lacks_the_newer_routes(start):
    old = await start(version="0.13.2")
    bodies = {"/v1/messages": message(), "/v1/responses": response()}
    assert [(await raw(old, "POST", path, asked)).status[:3] for path, asked in bodies.items()] == ["404", "404"]
