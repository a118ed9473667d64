"""Estimates of prompts, beside what a real engine counted."""

from typing import Any

import pytest

from routing.protocols.tokens import (
    LOOKED_AT,
    TOKENS_PER_CHAT,
    content_tokens,
    message_tokens,
    text_tokens,
    value_tokens,
)

from .english import CHATS, COUNTED, TEXTS

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
}


@pytest.mark.parametrize("title", TEXTS)
def test_ordinary_english_is_estimated_within_fifteen_percent(title: str) -> None:
    assert text_tokens(TEXTS[title]) == pytest.approx(COUNTED[title], rel=0.15)


@pytest.mark.parametrize(("messages", "counted"), CHATS)
def test_a_short_chat_is_estimated_within_fifteen_percent(messages: list[dict[str, Any]], counted: int) -> None:
    assert message_tokens(messages) == pytest.approx(counted, rel=0.15)


def test_a_text_beyond_what_is_looked_at_weighs_in_proportion_to_its_length() -> None:
    english = "\n\n".join(TEXTS.values()) * 100
    assert len(english) > 4 * LOOKED_AT
    assert text_tokens(english) == pytest.approx(100 * sum(COUNTED.values()), rel=0.15)


def test_the_middle_of_a_long_text_is_not_looked_at() -> None:
    edge = "a" * (LOOKED_AT // 2)
    assert text_tokens(edge + "!" * LOOKED_AT + edge) == text_tokens(edge + "b" * LOOKED_AT + edge)


def test_a_schema_is_estimated_within_fifteen_percent_of_its_json() -> None:
    assert value_tokens([WEATHER]) == pytest.approx(88, rel=0.15)


def test_letters_beyond_ascii_weigh_by_their_bytes() -> None:
    assert text_tokens("天气很好") == 1 + 4


def test_a_text_without_spaces_still_weighs_something() -> None:
    assert text_tokens("a" * 600) == 100


def test_half_a_surrogate_pair_is_no_obstacle() -> None:
    assert text_tokens("\ud83d") == 2


def test_an_empty_text_weighs_nothing() -> None:
    assert text_tokens("") == 0


def test_text_parts_weigh_what_their_text_does() -> None:
    parts = [{"type": "text", "text": TEXTS["a story"]}]
    assert content_tokens(parts) == text_tokens(TEXTS["a story"])


def test_a_chat_without_messages_is_only_its_frame() -> None:
    assert message_tokens([]) == TOKENS_PER_CHAT
