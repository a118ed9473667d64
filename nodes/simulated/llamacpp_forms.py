"""How llama.cpp's server writes an answer."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from nodes.simulated.answer import Result
from nodes.simulated.faults import RunnerDied
from nodes.simulated.openai_forms import DONE, usage
from nodes.simulated.wire import EVENTS, JSON_UTF8, event, go_json
from nodes.simulated.words import ToolCall

Fields = dict[str, Any]
BUILD = "b11549-simulated"


@dataclass
class LlamaChatForm:
    """`/v1/chat/completions`; the role comes with the first token, in a chunk of its own."""

    model: str
    include_usage: bool = False
    stream_type: str = EVENTS
    whole_type: str = JSON_UTF8
    headers: Mapping[str, str] = field(default_factory=lambda: {"X-Accel-Buffering": "no"})
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))
    begun: bool = False

    def piece(self, text: str) -> bytes:
        return self._opening() + self._delta({"content": text})

    def call(self, call: ToolCall) -> bytes:
        arguments = orjson.dumps(call.arguments).decode()
        head = {"id": uuid.uuid4().hex, "type": "function", "function": {"name": call.name, "arguments": "{"}}
        parts: list[Fields] = [head, {"function": {"arguments": arguments[1:]}}]
        return self._opening() + b"".join(self._delta({"tool_calls": [{"index": 0, **part}]}) for part in parts)

    def end(self, result: Result) -> bytes:
        last = self._chunk([{"finish_reason": self._reason(result), "index": 0, "delta": {}}])
        if not self.include_usage:
            return event(last | {"timings": timings(result)}) + DONE
        return event(last) + event(self._chunk([]) | measured(result)) + DONE

    def died(self, error: RunnerDied) -> bytes:
        return event({"error": {"code": error.status, "message": error.message, "type": "server_error"}})

    def whole(self, result: Result) -> bytes:
        message: Fields = {"role": "assistant", "content": result.text}
        if result.ask.call:
            message["tool_calls"] = [_whole_call(result.ask.call)]
        choices = [{"finish_reason": self._reason(result), "index": 0, "message": message}]
        counts = measured(result)
        head = {"choices": choices, "created": self.created, "model": self.model, "system_fingerprint": BUILD}
        tail = {"object": "chat.completion", "usage": counts["usage"], "id": self.id, "timings": counts["timings"]}
        return go_json(head | tail)

    def _reason(self, result: Result) -> str:
        return "tool_calls" if result.ask.call else result.reason

    def _opening(self) -> bytes:
        opening = b"" if self.begun else self._delta({"role": "assistant", "content": None})
        self.begun = True
        return opening

    def _delta(self, delta: Fields) -> bytes:
        return event(self._chunk([{"finish_reason": None, "index": 0, "delta": delta}]))

    def _chunk(self, choices: list[Fields]) -> Fields:
        head = {"choices": choices, "created": self.created, "id": self.id, "model": self.model}
        return head | {"system_fingerprint": BUILD, "object": "chat.completion.chunk"}


@dataclass
class LlamaCompletionForm(LlamaChatForm):
    """`/v1/completions`; the last chunk always has the usage."""

    def piece(self, text: str) -> bytes:
        return event(self._text(text, None))

    def end(self, result: Result) -> bytes:
        return event(self._text("", result.reason) | measured(result)) + DONE

    def whole(self, result: Result) -> bytes:
        return go_json(self._text(result.text, result.reason) | measured(result))

    def _text(self, text: str, reason: str | None) -> Fields:
        choice = {"text": text, "index": 0, "logprobs": None, "finish_reason": reason}
        head = {"choices": [choice], "created": self.created, "model": self.model, "system_fingerprint": BUILD}
        return head | {"object": "text_completion", "id": self.id}


def measured(result: Result) -> Fields:
    """Usage and timings."""
    return {
        "usage": usage(result) | {"prompt_tokens_details": {"cached_tokens": 0}},
        "timings": timings(result),
    }


def timings(result: Result) -> Fields:
    """What llama.cpp adds to the standard: counts, milliseconds, rates."""
    read, written = result.prefill / 1e6, result.decode / 1e6
    return {
        "cache_n": 0,
        "prompt_n": result.ask.prompt_tokens,
        "prompt_ms": read,
        "prompt_per_second": result.ask.prompt_tokens / read * 1000,
        "predicted_n": result.tokens,
        "predicted_ms": written,
        "predicted_per_second": result.tokens / written * 1000,
    }


def _whole_call(call: ToolCall) -> Fields:
    function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
    return {"type": "function", "function": function, "id": uuid.uuid4().hex}
