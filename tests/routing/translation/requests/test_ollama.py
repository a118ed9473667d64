"""What is Ollama's own: ids left out, generate, its options."""

from tests.routing.translation.asked import HELLO, OLLAMA, PIXEL
from tests.routing.translation.requests.asking import chat, content

GENERATE = "/api/generate"


def called(*names: str) -> dict[str, object]:
    return {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": {}}} for name in names]}


def ids(*messages: dict[str, object]) -> tuple[list[str], list[str]]:
    """The ids of the calls, and those that the results carry, as an OpenAI engine gets them."""
    sent = content("openai", OLLAMA, messages=list(messages))["messages"]
    calls = [call["id"] for message in sent for call in message.get("tool_calls", ())]
    return calls, [message["tool_call_id"] for message in sent if message["role"] == "tool"]


def test_results_without_ids_answer_the_calls_in_order() -> None:
    calls, results = ids(called("f", "g"), {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"})
    assert calls == results
    assert len(set(calls)) == 2


def test_a_result_with_a_name_answers_the_call_of_that_name() -> None:
    calls, results = ids(called("f", "g"), {"role": "tool", "tool_name": "g", "content": "1"})
    assert results == [calls[1]]


def test_the_calls_of_two_turns_are_told_apart() -> None:
    result = {"role": "tool", "content": "1"}
    calls, results = ids(called("f"), result, called("f"), result)
    assert calls == results
    assert len(set(calls)) == 2


def test_a_result_that_no_call_asked_for_still_goes_on() -> None:
    assert ids({"role": "tool", "content": "1"}) == ([], ["call_0"])


def test_arguments_are_text_for_openai() -> None:
    message = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": [1, "ü"]}}}]}
    sent = content("openai", OLLAMA, messages=[message])["messages"][0]
    assert sent["tool_calls"][0]["function"]["arguments"] == '{"a":[1,"ü"]}'


def test_the_picture_of_a_result_comes_after_it() -> None:
    sent = content("openai", OLLAMA, messages=[called("f"), {"role": "tool", "content": "1", "images": [PIXEL]}])
    assert [message["role"] for message in sent["messages"]] == ["assistant", "tool", "user"]


def test_a_prompt_is_a_turn_after_the_systems_words() -> None:
    sent = content("openai", GENERATE, prompt="hello", system="be brief")
    assert sent["messages"] == [{"role": "system", "content": "be brief"}, HELLO]


def test_a_picture_of_a_prompt_goes_on() -> None:
    assert content("ollama", GENERATE, prompt="hello", images=[PIXEL])["messages"][0]["images"] == [PIXEL]


def test_pictures_are_told_apart_by_their_first_bytes() -> None:
    parts = content("openai", GENERATE, prompt="x", images=["/9j/4AAQ"])["messages"][0]["content"]
    assert parts[1]["image_url"]["url"] == "data:image/jpeg;base64,/9j/4AAQ"


def test_a_stream_is_usual() -> None:
    assert chat(OLLAMA, messages=[HELLO]).stream


def test_without_end_is_no_limit() -> None:
    assert "max_tokens" not in content("openai", OLLAMA, messages=[HELLO], options={"num_predict": -1})


def test_one_stop_sequence_may_be_text() -> None:
    assert content("openai", OLLAMA, messages=[HELLO], options={"stop": "END"})["stop"] == ["END"]


def test_a_repeat_penalty_is_said_in_both_words() -> None:
    sent = content("openai", OLLAMA, messages=[HELLO], options={"repeat_penalty": 1.1})
    assert (sent["repeat_penalty"], sent["repetition_penalty"]) == (1.1, 1.1)


def test_the_hardest_thinking_is_high_elsewhere() -> None:
    assert content("openai", OLLAMA, messages=[HELLO], think="max")["reasoning_effort"] == "high"
