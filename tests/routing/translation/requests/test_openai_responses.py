"""What is said in OpenAI's responses alone: items, free tools, namespaces."""

import orjson

from routing.translation import DIALECTS, Marks
from routing.translation.events import Ended, Started, ToolCall
from routing.translation.lines import ServerSent
from tests.routing.translation.asked import DATA_URL, FLAT_TOOL, HELLO, RESPONSES
from tests.routing.translation.requests.asking import chat, content

PATCH = {"type": "custom", "name": "patch", "description": "edit", "format": {"type": "grammar", "definition": "G"}}
SPACE = {"type": "namespace", "name": "files", "description": "", "tools": [FLAT_TOOL]}


def item(tool: dict[str, object], call: ToolCall) -> dict[str, object]:
    """The item that a client is told of this call."""
    asked = chat(RESPONSES, input=[HELLO], tools=[tool])
    writer = DIALECTS[RESPONSES].encoder(asked, Marks("1", 0.0))
    told = b"".join(map(writer.event, (Started(), call, Ended("tool_calls"))))
    last = orjson.loads(ServerSent().feed(told)[-1])
    output: dict[str, object] = last["response"]["output"][0]
    return output


def test_a_free_tool_is_a_function_of_one_text() -> None:
    sent = content("ollama", RESPONSES, input=[HELLO], tools=[PATCH])["tools"][0]["function"]
    assert list(sent["parameters"]["properties"]) == ["input"]


def test_the_grammar_of_a_free_tool_is_in_its_description() -> None:
    assert (
        content("ollama", RESPONSES, input=[HELLO], tools=[PATCH])["tools"][0]["function"]["description"] == "edit\n\nG"
    )


def test_the_call_of_a_free_tool_comes_back_as_text() -> None:
    told = item(PATCH, ToolCall(0, "a", "patch", '{"input":"*** Begin"}'))
    assert (told["type"], told["input"]) == ("custom_tool_call", "*** Begin")


def test_the_tools_of_a_namespace_are_told_with_its_name() -> None:
    assert (
        content("ollama", RESPONSES, input=[HELLO], tools=[SPACE])["tools"][0]["function"]["name"] == "files__weather"
    )


def test_the_call_of_a_tool_in_a_namespace_comes_back_with_both_names() -> None:
    told = item(SPACE, ToolCall(0, "a", "files__weather", "{}"))
    assert (told["namespace"], told["name"]) == ("files", "weather")


def test_an_earlier_call_in_a_namespace_has_the_same_name_at_the_engine() -> None:
    call = {"type": "function_call", "call_id": "a", "namespace": "files", "name": "weather", "arguments": "{}"}
    sent = content("openai", RESPONSES, input=[call])["messages"][0]
    assert sent["tool_calls"][0]["function"]["name"] == "files__weather"


def test_an_earlier_call_of_a_free_tool_carries_its_text() -> None:
    call = {"type": "custom_tool_call", "call_id": "a", "name": "patch", "input": "*** Begin"}
    result = {"type": "custom_tool_call_output", "call_id": "a", "output": "done"}
    sent = content("ollama", RESPONSES, input=[call, result])["messages"]
    assert sent[0]["tool_calls"][0]["function"]["arguments"] == {"input": "*** Begin"}


def test_what_the_assistant_did_in_a_row_is_one_turn() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "look"}]}
    call = {"type": "function_call", "call_id": "a", "name": "weather", "arguments": "{}"}
    sent = content("openai", RESPONSES, input=[HELLO, said, call])["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant"]


def test_an_unknown_item_between_others_is_passed_over() -> None:
    sent = content("openai", RESPONSES, input=[HELLO, {"type": "compaction"}, HELLO])["messages"]
    assert sent == [HELLO, HELLO]


def test_the_picture_of_a_result_comes_after_it() -> None:
    picture = {"type": "input_image", "image_url": DATA_URL}
    result = {"type": "function_call_output", "call_id": "a", "output": [picture]}
    sent = content("openai", RESPONSES, input=[result])["messages"]
    assert [message["role"] for message in sent] == ["tool", "user"]


def test_the_tool_that_must_be_called_is_named() -> None:
    sent = content(
        "openai", RESPONSES, input=[HELLO], tools=[FLAT_TOOL], tool_choice={"type": "function", "name": "weather"}
    )
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "weather"}}


def test_the_tool_of_a_namespace_that_must_be_called_is_named_with_it() -> None:
    sent = content(
        "openai", RESPONSES, input=[HELLO], tools=[SPACE], tool_choice={"type": "function", "name": "weather"}
    )
    assert sent["tool_choice"]["function"]["name"] == "files__weather"
