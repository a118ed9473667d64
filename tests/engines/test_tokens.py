"""Estimates beside what a real tokenizer counts now."""

from typing import Any

import openai
import pytest

from routing.protocols.tokens import message_tokens, text_tokens
from tests.routing.protocols.english import CHATS, TEXTS

from .conftest import Fleet
from .engine import MODEL

pytestmark = pytest.mark.engine


def test_ordinary_english_is_estimated_within_fifteen_percent(fleet: Fleet) -> None:
    engine = fleet.engines["one"]
    counted = {title: len(engine.ask("/tokenize", {"content": text})["tokens"]) for title, text in TEXTS.items()}
    assert {title: text_tokens(text) for title, text in TEXTS.items()} == pytest.approx(counted, rel=0.15)


@pytest.mark.parametrize("messages", [messages for messages, _ in CHATS])
def test_a_short_chat_is_estimated_within_fifteen_percent(client: openai.OpenAI, messages: list[Any]) -> None:
    usage = client.chat.completions.create(model=MODEL, messages=messages, max_tokens=1).usage
    assert usage and message_tokens(messages) == pytest.approx(usage.prompt_tokens, rel=0.15)
