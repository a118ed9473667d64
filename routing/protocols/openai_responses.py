"""OpenAI's responses, without what an engine would have to remember."""

from collections.abc import Mapping
from typing import Any

from routing.core.problems import Problem
from routing.protocols import endings, events, openai_errors, tokens
from routing.protocols.base import CHAT, Answer, Ending, Protocol, Reading
from routing.protocols.fields import invalid, metadata_tags, objects, required_model, strings, take

CODE = "upstream_failed"
# Where the items of a conversation keep what they say: messages, results of tools, calls, custom calls, reasoning.
SAID = ("content", "output", "arguments", "input", "summary")
# What only a server could do that keeps responses: no node is asked for it.
REMEMBERED: Mapping[str, str] = {
    "previous_response_id": "responses are not stored here; send the whole conversation in input",
    "conversation": "conversations are not stored here; send the whole conversation in input",
    "background": "responses are not stored here to be fetched later; leave background out",
}


class OpenAIResponses(Protocol):
    """Named events with numbers, whole unless told otherwise, errors in OpenAI's form."""

    name = "responses"
    paths = {"/v1/responses": CHAT}

    def read(self, path: str, content: Mapping[str, Any]) -> Reading:
        model = required_model(content)
        _refuse_what_is_remembered(content)
        said, tools = conversation(content), objects(content, "tools")
        wanted = {"vision": tokens.has_images(said), "tools": bool(tools)}
        prompt = tokens.message_tokens(said) + tokens.value_tokens(tools)
        return Reading(
            model=model,
            stream=take(content, "stream", bool, False),
            needs=frozenset(need for need, yes in wanted.items() if yes),
            fallbacks=strings(content, "fallback_models"),
            tokens=tokens.demanded(prompt, take(content, "max_output_tokens", int, 0), 0),
            prompt_tokens=round(prompt),
            session=take(content, "prompt_cache_key", str, "") or tokens.opening_words(said),
            tags=metadata_tags(content),
        )

    def problem(self, problem: Problem) -> Answer:
        return openai_errors.answered(problem)

    def broken(self, message: str, tail: bytes) -> bytes:
        error = openai_errors.fields(message, "api_error", CODE)
        number = {"type": "error", "sequence_number": events.next_number(tail)}
        return events.error_event(number | {"code": CODE, "message": message, "param": None, "error": error}, tail)

    def ending(self, path: str, stream: bool, tail: bytes) -> Ending:
        return events.responses(tail) if stream else endings.whole(tail, ("input_tokens", "output_tokens"), False)

    def unknown_model(self, path: str, model: str) -> str:
        return f"model '{model}' not found"


def conversation(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Instructions and input as messages; items of unknown types weigh what they say."""
    given = take(content, "input", (str, list), None)
    if given is None:
        raise invalid("input is required")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(content, "input")
    instructions = take(content, "instructions", str, "")
    opening = [{"role": "system", "content": instructions}] if instructions else []
    return [*opening, *map(_message, items)]


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    said = next((item[name] for name in SAID if item.get(name)), "")
    return {"role": item.get("role"), "content": said}


def _refuse_what_is_remembered(content: Mapping[str, Any]) -> None:
    for name, why in REMEMBERED.items():
        if content.get(name):
            raise invalid(f"{name} is not supported: {why}")
