"""docs/translation.md names what the code refuses and drops."""

import pytest

from routing.translation.engines.ollama import DROPS
from routing.translation.requests import anthropic_messages, ollama, openai_chat, openai_responses
from tests.architecture.source import text

TABLES = (ollama.CHAT, ollama.GENERATE, openai_chat.FIELDS, openai_responses.FIELDS, anthropic_messages.FIELDS)
REFUSED = sorted({name for fields in TABLES for name in fields.refused})
DROPPED = [name for name, _ in DROPS]


@pytest.mark.parametrize("field", [*REFUSED, *DROPPED])
def test_the_page_names_what_is_lost(field: str) -> None:
    assert f"`{field}`" in text("docs/translation.md")


@pytest.mark.parametrize("fields", TABLES)
def test_a_field_is_in_one_table_only(fields: object) -> None:
    assert isinstance(fields, type(ollama.CHAT))
    assert len(fields.understood | fields.idle | set(fields.refused)) == sum(
        map(len, (fields.understood, fields.idle, fields.refused))
    )
