"""What is said in Anthropic's messages alone: blocks, results within a turn, choices."""

import pytest

from tests.routing.translation.asked import CLAUDE, CLAUDE_TOOL, HELLO, PICTURE, PIXEL
from tests.routing.translation.requests.asking import content

RESULT = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "rain"}, PICTURE]}


def test_results_come_before_the_words_of_their_turn() -> None:
    turn = {"role": "user", "content": [{"type": "text", "text": "and now?"}, RESULT]}
    sent = content("ollama", CLAUDE, messages=[turn])["messages"]
    assert [(message["role"], message["content"]) for message in sent] == [("tool", "rain"), ("user", "and now?")]


def test_the_picture_of_a_result_goes_on_with_the_words_after_it() -> None:
    turn = {"role": "user", "content": [RESULT, {"type": "text", "text": "and now?"}]}
    assert content("ollama", CLAUDE, messages=[turn])["messages"][1]["images"] == [PIXEL]


def test_the_systems_words_may_stand_among_the_messages() -> None:
    sent = content("ollama", CLAUDE, system="be brief", messages=[HELLO, {"role": "system", "content": "be kind"}])
    assert sent["messages"][0] == {"role": "system", "content": "be brief\n\nbe kind"}


def test_thoughts_that_only_anthropic_can_read_are_passed_over() -> None:
    turn = {
        "role": "assistant",
        "content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "hi"}],
    }
    assert content("openai", CLAUDE, messages=[turn])["messages"] == [{"role": "assistant", "content": "hi"}]


def test_a_document_of_plain_text_is_text() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "words"}
    turn = {"role": "user", "content": [{"type": "document", "source": source}]}
    assert content("openai", CLAUDE, messages=[turn])["messages"] == [{"role": "user", "content": "words"}]


def test_a_picture_by_its_address_is_the_engines_to_fetch() -> None:
    turn = {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://x.org/a.png"}}]}
    sent = content("openai", CLAUDE, messages=[turn])["messages"][0]["content"]
    assert sent == [{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        ({"type": "tool", "name": "weather"}, {"type": "function", "function": {"name": "weather"}}),
    ],
)
def test_a_choice_is_said_in_openais_words(choice: dict[str, str], sent: object) -> None:
    said = content("openai", CLAUDE, messages=[HELLO], tools=[CLAUDE_TOOL], tool_choice=choice)
    assert said["tool_choice"] == sent


def test_one_call_at_a_time_can_be_asked_for() -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    said = content("openai", CLAUDE, messages=[HELLO], tools=[CLAUDE_TOOL], tool_choice=choice)
    assert said["parallel_tool_calls"] is False


def test_thinking_is_off_unless_asked_for() -> None:
    assert content("openai", CLAUDE, messages=[HELLO])["chat_template_kwargs"] == {"enable_thinking": False}
