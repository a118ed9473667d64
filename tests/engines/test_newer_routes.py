"""Messages and responses with their own clients, through the router, answered by real engines."""

from collections.abc import Iterator

import anthropic
import openai
import pytest

from .conftest import Fleet
from .engine import MODEL

pytestmark = pytest.mark.engine

SAME_WORDS = {"temperature": 0}  # each time: the engine forgets message_start before a character that is cut


@pytest.fixture
def claude(fleet: Fleet) -> Iterator[anthropic.Anthropic]:
    """Anthropic's client of that fleet."""
    with anthropic.Anthropic(base_url=fleet.router.url, api_key="none", max_retries=0, timeout=120) as sdk:
        yield sdk


def test_a_message_is_answered(claude: anthropic.Anthropic) -> None:
    answer = claude.messages.create(
        model=MODEL, max_tokens=5, extra_body=SAME_WORDS, messages=[{"role": "user", "content": "Say hello."}]
    )
    assert answer.content[0].type == "text" and answer.usage.output_tokens


def test_a_message_is_streamed_and_its_decision_completed(claude: anthropic.Anthropic, fleet: Fleet) -> None:
    hello: anthropic.types.MessageParam = {"role": "user", "content": "Say hello."}
    with claude.messages.stream(model=MODEL, max_tokens=5, extra_body=SAME_WORDS, messages=[hello]) as stream:
        assert stream.get_final_message().stop_reason in ("max_tokens", "end_turn")
        decision = fleet.decision(stream.response.headers["x-fleet-decision"])
    assert (decision["outcome"], decision["dialect"]) == ("completed", "anthropic")


def test_a_response_is_answered(client: openai.OpenAI) -> None:
    assert client.responses.create(model=MODEL, input="Say hello.", max_output_tokens=5, temperature=0).output_text


def test_a_response_is_streamed_and_its_decision_completed(client: openai.OpenAI, fleet: Fleet) -> None:
    raw = client.responses.with_raw_response.create(
        model=MODEL, input="Say hello.", max_output_tokens=5, temperature=0, stream=True
    )
    assert [event.type for event in raw.parse()][-1] == "response.completed"
    decision = fleet.decision(raw.headers["x-fleet-decision"])
    assert (decision["outcome"], decision["dialect"]) == ("completed", "responses")
    assert decision["completion_tokens"]
