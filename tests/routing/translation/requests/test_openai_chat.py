"""What is said in OpenAI's chat alone."""

import pytest

from routing.translation.chat import without_thinking
from tests.routing.translation.asked import CHAT, DATA_URL, HELLO, NESTED_TOOL
from tests.routing.translation.requests.asking import chat, content, out

OTHER = {"type": "function", "function": {"name": "other"}}


def test_the_newer_word_for_a_limit_counts() -> None:
    assert chat(CHAT, messages=[HELLO], max_tokens=5, max_completion_tokens=7).options.max_tokens == 7


def test_the_older_word_for_a_limit_is_understood() -> None:
    assert chat(CHAT, messages=[HELLO], max_tokens=5).options.max_tokens == 5


def test_one_stop_sequence_may_be_text() -> None:
    assert chat(CHAT, messages=[HELLO], stop="END").options.stop == ("END",)


def test_no_tools_are_offered_where_none_may_be_called() -> None:
    assert "tools" not in content("ollama", CHAT, messages=[HELLO], tools=[NESTED_TOOL], tool_choice="none")


def test_the_one_tool_that_must_be_called_is_the_one_offered() -> None:
    choice = {"type": "function", "function": {"name": "other"}}
    sent = content("ollama", CHAT, messages=[HELLO], tools=[NESTED_TOOL, OTHER], tool_choice=choice)
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["other"]


def test_figures_in_a_stream_are_for_who_asks() -> None:
    asked = chat(CHAT, messages=[HELLO], stream=True, stream_options={"include_usage": True})
    assert (asked.usage_wanted, chat(CHAT, messages=[HELLO], stream=True).usage_wanted) == (True, False)


def test_an_engine_is_always_asked_for_figures_and_a_stream() -> None:
    sent = content("openai", CHAT, messages=[HELLO], stream=False)
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_ollamas_own_options_may_stand_in_the_body() -> None:
    sent = content("ollama", CHAT, messages=[HELLO], options={"num_ctx": 8192}, keep_alive="1h")
    assert (sent["options"], sent["keep_alive"]) == ({"num_ctx": 8192}, "1h")


@pytest.mark.parametrize("effort", ["high", "xhigh", "max"])
def test_no_effort_is_above_high(effort: str) -> None:
    assert content("ollama", CHAT, messages=[HELLO], reasoning_effort=effort)["think"] == "high"


def test_thinking_is_never_switched_on_by_omission() -> None:
    assert content("ollama", CHAT, messages=[HELLO])["think"] is False


def test_a_model_that_can_not_think_is_not_asked_to() -> None:
    quiet = without_thinking(chat(CHAT, messages=[HELLO], reasoning_effort="low"))
    assert (quiet.options.thinking, quiet.options.effort, quiet.dropped) == (None, "", ("thinking",))


def test_a_model_that_can_not_think_loses_nothing_by_silence() -> None:
    assert without_thinking(chat(CHAT, messages=[HELLO])).dropped == ()


def test_the_picture_of_a_result_comes_after_all_results() -> None:
    picture = {"type": "image_url", "image_url": {"url": DATA_URL}}
    results = [
        {"role": "tool", "tool_call_id": "a", "content": [picture]},
        {"role": "tool", "tool_call_id": "b", "content": "sun"},
    ]
    sent = content("openai", CHAT, messages=[*results, HELLO])["messages"]
    assert [message["role"] for message in sent] == ["tool", "tool", "user"]
    assert sent[2]["content"] == [picture, {"type": "text", "text": "hello"}]


def test_an_address_of_a_picture_is_the_engines_to_fetch() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}
    sent = content("openai", CHAT, messages=[{"role": "user", "content": [picture]}])
    assert sent["messages"][0]["content"] == [picture]


def test_a_call_without_arguments_has_none() -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": ""}}
    sent = content("ollama", CHAT, messages=[{"role": "assistant", "tool_calls": [call]}])
    assert sent["messages"][0]["tool_calls"][0]["function"]["arguments"] == {}


def test_late_words_of_the_system_stand_in_front() -> None:
    sent = content("ollama", CHAT, messages=[HELLO, {"role": "system", "content": "be brief"}])
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


def test_the_paths_are_the_engines_own() -> None:
    assert [out(engine, CHAT, messages=[HELLO]).path for engine in ("ollama", "openai")] == ["/api/chat", CHAT]
