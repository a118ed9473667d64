"""What a conversation weighs and how it opens: token estimates, images, first words."""

from collections.abc import Iterable, Mapping
from typing import Any

# Common vocabularies have a token for nearly every English word, and one for each mark and each digit.
NO_MARK = bytes(code for code in range(128) if chr(code).isalpha() or code <= 32)
BYTES_PER_FOREIGN_TOKEN = 3  # one Chinese character, or three bytes of any other letters beyond ASCII
LONGEST_TOKEN = 6  # characters, on average: what has no spaces still weighs something
LOOKED_AT = 65_536  # characters of a long text: its beginning and its end tell the rest
TOKENS_PER_MESSAGE = 5  # role and separators of a chat template
TOKENS_PER_CHAT = 4  # the beginning of the text, and of the answer
TOKENS_PER_IMAGE = 576  # one 336-pixel tile, the common vision encoder's
MOST_OUTPUT = 4096
MOST_TOKENS = 2**31 - 1  # more than any engine counts: a larger number is as good as this one
IMAGE_PARTS = frozenset({"image", "image_url", "input_image"})


def text_tokens(text: str) -> float:
    """Tokens of plain text: within 15 % on ordinary English, at a cost that its length does not change."""
    if len(text) <= LOOKED_AT:
        return _pieces(text)
    half = LOOKED_AT // 2
    return _pieces(text[:half] + text[-half:]) * len(text) / LOOKED_AT


def value_tokens(value: Any) -> float:
    """Tokens of a JSON value that ends up in the prompt (a tool's schema, a call's arguments)."""
    if isinstance(value, str):
        return text_tokens(value) + 1
    if isinstance(value, Mapping):
        return sum(text_tokens(str(k)) + 2 + value_tokens(v) for k, v in value.items())
    if isinstance(value, list):
        return sum(value_tokens(v) + 1 for v in value)
    return 1


def content_tokens(content: Any) -> float:
    """Tokens of a message's content: text, or a list of parts."""
    if isinstance(content, str):
        return text_tokens(content)
    if isinstance(content, list):
        return sum(_part_tokens(part) for part in content)
    return 0


def message_tokens(messages: Iterable[Mapping[str, Any]]) -> float:
    """Tokens of a conversation, tool calls and images included; a template's own system prompt is not known."""
    return TOKENS_PER_CHAT + sum(
        TOKENS_PER_MESSAGE
        + content_tokens(m.get("content"))
        + value_tokens(m.get("tool_calls") or [])
        + TOKENS_PER_IMAGE * _count(m.get("images"))
        for m in messages
    )


def has_images(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Does any message carry an image, in any dialect's form?"""
    return any(_count(m.get("images")) or _image_parts(m.get("content")) for m in messages)


def opening_words(messages: list[dict[str, Any]]) -> str | None:
    """System prompt and first user message: what stays the same from turn to turn."""
    system = next((m for m in messages if m.get("role") in ("system", "developer")), {})
    user = next((m for m in messages if m.get("role") == "user"), None)
    return f"{system.get('content') or ''}\n{user.get('content')}" if user else None


def demanded(prompt: float, output: int, context: int) -> int:
    """max(prompt + requested output, requested context), at least 1 (spec §2)."""
    return min(max(round(prompt) + min(max(output, 0), MOST_OUTPUT), context, 1), MOST_TOKENS)


def _pieces(text: str) -> float:
    plain = text.encode("ascii", "ignore")
    foreign = len(text.encode("utf-8", "surrogatepass")) - len(plain)
    words, marks = len(text.split()), len(plain.translate(None, NO_MARK))
    return max(words + marks + foreign / BYTES_PER_FOREIGN_TOKEN, len(text) / LONGEST_TOKEN)


def _part_tokens(part: Any) -> float:
    if not isinstance(part, Mapping):
        return value_tokens(part)
    if part.get("type") in IMAGE_PARTS:
        return TOKENS_PER_IMAGE
    said = text_tokens(str(part.get("text") or part.get("thinking") or ""))
    return said + value_tokens(part.get("input") or {}) + content_tokens(part.get("content"))  # a tool's call, result


def _image_parts(content: Any) -> bool:
    parts = content if isinstance(content, list) else ()
    return any(
        isinstance(p, Mapping) and (p.get("type") in IMAGE_PARTS or _image_parts(p.get("content"))) for p in parts
    )


def _count(images: Any) -> int:
    return len(images) if isinstance(images, list) else 0
