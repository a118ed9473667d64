"""Deterministic text: the tokens of an answer, token counts, vectors, tool calls."""

import math
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

VOCABULARY = (
    *("the", "quiet", "router", "sends", "each", "question", "to", "a", "node", "that", "has", "its", "model"),
    *("in", "memory", "and", "waits", "for", "words", "while", "another", "machine", "loads", "weights"),
    *("from", "disk", "so", "nobody", "must", "wait", "long"),
)
PIECES = re.compile(r"\w{1,8}|[^\w\s]")
TEMPLATE_TOKENS, MESSAGE_TOKENS = 5, 4  # "Hello" was counted as 10 tokens by the recorded engine
CITY = re.compile(r"\bin ([A-Z]\w+)")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the answer asks for."""

    name: str
    arguments: Mapping[str, str]


def tokens(prompt: str, count: int) -> Iterator[str]:
    """`count` tokens, always the same for the same prompt; every one but the first begins with a blank."""
    start = zlib.crc32(prompt.encode())
    for i in range(count):
        word = VOCABULARY[(start + i * 7) % len(VOCABULARY)]
        yield f" {word}" if i else word.capitalize()


def count(text: str) -> int:
    """Tokens of a text: about one for a word of ordinary English."""
    return len(PIECES.findall(text))


def prompt_tokens(text: str, messages: int = 1) -> int:
    """Tokens of a prompt once it stands in a chat template."""
    return TEMPLATE_TOKENS + MESSAGE_TOKENS * messages + count(text)


def text_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text of all messages, whether plain or in parts."""
    return "\n".join(_content(message.get("content")) for message in messages)


def wanted_call(tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]) -> ToolCall | None:
    """The first tool, if tools are given and the last message is a question about the weather."""
    last = messages[-1] if messages else {}
    question = _content(last.get("content"))
    if not tools or last.get("role") != "user" or "weather" not in question.lower():
        return None
    function = tools[0].get("function") or {}
    argument = next(iter((function.get("parameters") or {}).get("properties") or {}), "city")
    found = CITY.search(question)
    return ToolCall(str(function.get("name", "")), {argument: found[1] if found else "Berlin"})


def token_ids(pieces: Iterable[str]) -> list[int]:
    """A number for each token, as `context` carries them."""
    return [zlib.crc32(piece.encode()) % 49152 for piece in pieces]


@lru_cache(maxsize=1024)
def vector(text: str, dimensions: int) -> tuple[float, ...]:
    """A unit vector, always the same for the same text."""
    dice = random.Random(text)
    raw = [dice.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(x * x for x in raw))
    return tuple(x / length for x in raw)


def _content(content: object) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
