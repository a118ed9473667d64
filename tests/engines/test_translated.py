"""Ollama's own client, through the router, answered by real engines that know nothing of Ollama."""

import ollama
import pytest

from .conftest import Fleet
from .engine import MODEL

pytestmark = pytest.mark.engine
HELLO = [{"role": "user", "content": "Say hello."}]
FEW = {"num_predict": 5, "temperature": 0, "seed": 1}


@pytest.fixture
def llama(fleet: Fleet) -> ollama.Client:
    """The official client of that fleet."""
    return ollama.Client(fleet.router.url, timeout=120)


def test_a_chat_is_answered(llama: ollama.Client) -> None:
    answer = llama.chat(MODEL, HELLO, options=FEW)
    assert (answer.done_reason, answer.eval_count) == ("length", 5)
    assert answer.message.content


def test_a_streamed_chat_says_the_same_as_a_whole_one(llama: ollama.Client) -> None:
    parts = llama.chat(MODEL, HELLO, options=FEW, stream=True)
    assert (
        "".join(part.message.content or "" for part in parts) == llama.chat(MODEL, HELLO, options=FEW).message.content
    )


def test_a_prompt_is_gone_on_with(llama: ollama.Client) -> None:
    assert llama.generate(MODEL, "Say hello.", options=FEW).response


def test_a_schema_is_kept_to(llama: ollama.Client) -> None:
    form = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    said = llama.chat(MODEL, HELLO, options={"num_predict": 60, "temperature": 0}, format=form).message.content
    assert said and said.lstrip().startswith("{")


def test_weights_of_tokens_are_told(llama: ollama.Client) -> None:
    answer = llama.chat(MODEL, HELLO, options=FEW, logprobs=True)
    assert answer.logprobs and len(answer.logprobs) == 5
