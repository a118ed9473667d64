"""How Ollama's `/v1` routes write an answer: events, a finish reason, `[DONE]`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from nodes.simulated.answer import Result
from nodes.simulated.faults import RunnerDied
from nodes.simulated.wire import EVENTS, JSON, event, go_json
from nodes.simulated.words import ToolCall

Fields = dict[str, Any]
DONE = b"data: [DONE]\n\n"


def usage(result: Result) -> Fields:
    """Token counts."""
    prompt, answer = result.ask.prompt_tokens, result.tokens
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


@dataclass(frozen=True)
class V1ChatForm:
    """`/v1/chat/completions`."""

    asked: str
    number: int  # makes the id
    include_usage: bool = False
    stream_type: str = EVENTS
    whole_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)

    def piece(self, text: str) -> bytes:
        return event(self.chunk([self.choice(text, None, None)]))

    def call(self, call: ToolCall) -> bytes:
        return event(self.chunk([self.choice("", call, None)]))

    def end(self, result: Result) -> bytes:
        last = event(self.chunk([self.choice("", None, self._reason(result))]))
        counts = event(self.chunk([]) | {"usage": usage(result)}) if self.include_usage else b""
        return last + counts + DONE

    def died(self, error: RunnerDied) -> bytes:
        """No error, no finish reason, no `[DONE]`: that is all there is."""
        return event(self.chunk([self.choice("", None, None)]) | {"model": ""})

    def whole(self, result: Result) -> bytes:
        choices = [self.whole_choice(result, self._reason(result))]
        return go_json(self.head("chat.completion", choices) | {"usage": usage(result)}) + b"\n"

    def chunk(self, choices: list[Fields]) -> Fields:
        """One part of the stream."""
        return self.head("chat.completion.chunk", choices)

    def head(self, kind: str, choices: list[Fields]) -> Fields:
        """What stands around the choices."""
        stamp = {"id": f"chatcmpl-{self.number}", "object": kind, "created": int(time.time())}
        return stamp | {"model": self.asked, "system_fingerprint": "fp_ollama", "choices": choices}

    def choice(self, text: str, call: ToolCall | None, reason: str | None) -> Fields:
        """One token, or the end."""
        return {"index": 0, "delta": self._message(text, call), "finish_reason": reason}

    def whole_choice(self, result: Result, reason: str) -> Fields:
        """The whole text."""
        return {"index": 0, "message": self._message(result.text, result.ask.call), "finish_reason": reason}

    def _reason(self, result: Result) -> str:
        return "tool_calls" if result.ask.call else result.reason

    def _message(self, text: str, call: ToolCall | None) -> Fields:
        calls = {"tool_calls": [self._call(call)]} if call else {}
        return {"role": "assistant", "content": text, **calls}

    def _call(self, call: ToolCall) -> Fields:
        function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
        return {"id": f"call_{self.number:08d}", "index": 0, "type": "function", "function": function}


@dataclass(frozen=True)
class V1CompletionForm(V1ChatForm):
    """`/v1/completions`."""

    def whole(self, result: Result) -> bytes:
        body = self.head("text_completion", []) | {"choices": [self.whole_choice(result, result.reason)]}
        return go_json(body | {"usage": usage(result)}) + b"\n"

    def chunk(self, choices: list[Fields]) -> Fields:
        full = self.head("text_completion", choices)
        return {name: full[name] for name in ("id", "object", "created", "choices", "model", "system_fingerprint")}

    def head(self, kind: str, choices: list[Fields]) -> Fields:
        return super().head(kind, choices) | {"id": f"cmpl-{self.number}"}

    def choice(self, text: str, call: ToolCall | None, reason: str | None) -> Fields:
        return {"text": text, "index": 0, "finish_reason": reason}

    def whole_choice(self, result: Result, reason: str) -> Fields:
        return self.choice(result.text, None, reason)
