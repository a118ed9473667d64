"""How Ollama's own dialect writes an answer: a JSON line a token, the metrics on the last."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nodes.simulated.answer import Result
from nodes.simulated.faults import RunnerDied
from nodes.simulated.wire import JSON_UTF8, NDJSON, go_json, go_time
from nodes.simulated.words import ToolCall

Fields = dict[str, Any]


@dataclass(frozen=True)
class ChatForm:
    """`/api/chat`: the text stands in a message."""

    asked: str
    call_id: str = "call_00000001"
    stream_type: str = NDJSON
    whole_type: str = JSON_UTF8
    headers: Mapping[str, str] = field(default_factory=dict)

    def piece(self, text: str) -> bytes:
        return self._line(self.body(text, None), {"done": False})

    def call(self, call: ToolCall) -> bytes:
        return self._line(self.body("", call), {"done": False})

    def end(self, result: Result) -> bytes:
        return self._line(self.body("", None), self.metrics(result))

    def died(self, error: RunnerDied) -> bytes:
        return go_json({"error": error.message}) + b"\n"

    def whole(self, result: Result) -> bytes:
        return self._line(self.body(result.text, result.ask.call), self.metrics(result)).rstrip()

    def only(self, reason: str) -> bytes:
        """The answer to a request that loads or unloads and asks nothing."""
        return self._line(self.body("", None), {"done": True, "done_reason": reason}).rstrip()

    def body(self, text: str, call: ToolCall | None) -> Fields:
        """Where this route puts the text."""
        message: Fields = {"role": "assistant", "content": text}
        return {"message": message | ({"tool_calls": [self._call(call)]} if call else {})}

    def metrics(self, result: Result) -> Fields:
        """What stands on the last line."""
        return {
            "done": True,
            "done_reason": result.reason,
            **self.context(result),
            "total_duration": result.total,
            "load_duration": result.load,
            "prompt_eval_count": result.ask.prompt_tokens,
            "prompt_eval_duration": result.prefill,
            "eval_count": result.tokens,
            "eval_duration": result.decode,
        }

    def context(self, result: Result) -> Fields:
        """What this route remembers for the next turn."""
        return {}

    def _call(self, call: ToolCall) -> Fields:
        return {"id": self.call_id, "function": {"index": 0, "name": call.name, "arguments": call.arguments}}

    def _line(self, body: Fields, rest: Fields) -> bytes:
        head = {"model": self.asked, "created_at": go_time(time.time_ns())}
        return go_json(head | body | rest) + b"\n"


@dataclass(frozen=True)
class GenerateForm(ChatForm):
    """`/api/generate`: the text stands by itself, and the last line has the context."""

    def body(self, text: str, call: ToolCall | None) -> Fields:
        return {"response": text}

    def context(self, result: Result) -> Fields:
        return {"context": result.context}
