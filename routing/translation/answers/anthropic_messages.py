"""Anthropic's messages: blocks that open and close in turn, ended by `message_stop`."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from routing.translation.answers.encoder import Encoder, Marks
from routing.translation.chat import Chat
from routing.translation.events import (
    FILTERED,
    LENGTH,
    STOP,
    STOP_SEQUENCE,
    TOOL_CALLS,
    Broken,
    Ended,
    Event,
    Folded,
    Started,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
    fold,
)
from routing.translation.lines import named

REASONS = {
    STOP: "end_turn",
    LENGTH: "max_tokens",
    TOOL_CALLS: "tool_use",
    STOP_SEQUENCE: "stop_sequence",
    FILTERED: "refusal",
}
EMPTY: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}
PING = named({"type": "ping"})


class AnthropicMessages(Encoder):
    """One block is open at a time; a call is a block of its own."""

    def __init__(self, chat: Chat, marks: Marks) -> None:
        super().__init__(chat, marks)
        self._open = ""
        self._blocks = self._pieces = 0
        self._usage = Usage()

    def event(self, event: Event) -> bytes:
        match event:
            case Started():
                message = {**self._head(), "content": [], "stop_reason": None, "stop_sequence": None}
                return named({"type": "message_start", "message": {**message, "usage": self._figures(Usage(), 0)}})
            case TextDelta(text=""):  # weighed tokens without words
                return b""
            case TextDelta():
                return self._piece("text", {"type": "text_delta", "text": event.text})
            case ThinkingDelta():
                return self._piece("thinking", {"type": "thinking_delta", "thinking": event.text})
            case ToolCall():
                return self._call(event)
            case Usage():
                self._usage = event
            case Ended():
                return self._end(event)
            case Broken():
                return named({"type": "error", "error": {"type": "api_error", "message": event.message}})
        return b""

    def whole(self, events: Sequence[Event]) -> bytes:
        answer = fold(events)
        usage = self._figures(answer.usage, answer.pieces)
        content = {"content": list(self._content(answer))}
        return orjson.dumps({**self._head(), **content, **_ending(answer.ended), "usage": usage})

    def _head(self) -> dict[str, Any]:
        return {"id": f"msg_{self.marks.id}", "type": "message", "role": "assistant", "model": self.chat.model}

    def _piece(self, kind: str, delta: Mapping[str, Any]) -> bytes:
        opened = b"" if self._open == kind else self._close() + self._start(kind, EMPTY[kind])
        self._pieces += 1
        return opened + self._delta(delta)

    def _call(self, call: ToolCall) -> bytes:
        block = {"type": "tool_use", "id": self.call_id(call), "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.arguments}
        return self._close() + self._start("tool_use", block) + self._delta(delta) + self._close()

    def _start(self, kind: str, block: Mapping[str, Any]) -> bytes:
        self._open = kind
        first = PING if self._blocks == 0 else b""
        return named({"type": "content_block_start", "index": self._blocks, "content_block": block}) + first

    def _delta(self, delta: Mapping[str, Any]) -> bytes:
        return named({"type": "content_block_delta", "index": self._blocks, "delta": delta})

    def _close(self) -> bytes:
        if not self._open:
            return b""
        closed, self._open, self._blocks = self._blocks, "", self._blocks + 1
        return named({"type": "content_block_stop", "index": closed})

    def _end(self, ended: Ended) -> bytes:
        usage = self._figures(self._usage, self._pieces)
        delta = named({"type": "message_delta", "delta": _ending(ended), "usage": usage})
        return self._close() + delta + named({"type": "message_stop"})

    def _figures(self, usage: Usage, pieces: int) -> dict[str, int]:
        """Clients must have figures: where the engine gives none, the estimate, and a token for each piece."""
        return {
            "input_tokens": usage.prompt or max(1, self.marks.prompt_tokens),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": pieces if usage.completion is None else usage.completion,
        }

    def _content(self, answer: Folded) -> Sequence[Mapping[str, Any]]:
        thoughts = [{**EMPTY["thinking"], "thinking": answer.thinking}] if answer.thinking else []
        text = [{"type": "text", "text": answer.text}] if answer.text else []
        return [*thoughts, *text, *map(self._called, answer.calls)]

    def _called(self, call: ToolCall) -> dict[str, Any]:
        arguments = orjson.loads(call.arguments)
        return {"type": "tool_use", "id": self.call_id(call), "name": call.name, "input": arguments}


def _ending(ended: Ended) -> dict[str, str | None]:
    return {"stop_reason": REASONS[ended.reason], "stop_sequence": ended.stop or None}
