"""Ollama's answers: one JSON object a line, the last with `done: true`."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from routing.protocols import OLLAMA
from routing.translation.answers.encoder import Encoder, Marks
from routing.translation.chat import Chat
from routing.translation.events import (
    LENGTH,
    Broken,
    Ended,
    Event,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
    fold,
)


class _Lines(Encoder):
    """What chat and generate have in common."""

    def __init__(self, chat: Chat, marks: Marks) -> None:
        super().__init__(chat, marks)
        made = datetime.fromtimestamp(marks.at, UTC).isoformat(timespec="microseconds")
        self._head = {"model": chat.model, "created_at": made.replace("+00:00", "Z")}
        self._usage = Usage()

    def event(self, event: Event) -> bytes:
        match event:
            case TextDelta():
                return self._line(self._said(event.text), event.logprobs)
            case ThinkingDelta():
                return self._line(self._said("", thinking=event.text))
            case ToolCall():
                return self._line(self._said("", calls=[event]))
            case Usage():
                self._usage = event
            case Ended():
                return orjson.dumps(self._head | self._said("") | _end(self._usage, event)) + b"\n"
            case Broken():
                return OLLAMA.broken(event.message, b"")
        return b""

    def whole(self, events: Sequence[Event]) -> bytes:
        answer = fold(events)
        said = self._said(answer.text, answer.thinking, answer.calls)
        logprobs = {"logprobs": answer.logprobs} if answer.logprobs else {}
        return orjson.dumps(self._head | said | logprobs | _end(answer.usage, answer.ended))

    def _line(self, said: Mapping[str, Any], logprobs: Sequence[Mapping[str, Any]] = ()) -> bytes:
        weighed = {"logprobs": logprobs} if logprobs else {}
        return orjson.dumps({**self._head, **said, "done": False, **weighed}) + b"\n"

    @abstractmethod
    def _said(self, text: str, thinking: str = "", calls: Iterable[ToolCall] = ()) -> dict[str, Any]:
        """What was said, under the path's own names."""


class OllamaChat(_Lines):
    """`/api/chat`."""

    def _said(self, text: str, thinking: str = "", calls: Iterable[ToolCall] = ()) -> dict[str, Any]:
        called = [self._call(call) for call in calls]
        more = {"thinking": thinking, "tool_calls": called}
        return {"message": {"role": "assistant", "content": text, **{k: v for k, v in more.items() if v}}}

    def _call(self, call: ToolCall) -> dict[str, Any]:
        function = {"index": call.index, "name": call.name, "arguments": orjson.loads(call.arguments)}
        return {"id": self.call_id(call), "function": function}


class OllamaGenerate(_Lines):
    """`/api/generate`, which knows no calls."""

    def _said(self, text: str, thinking: str = "", calls: Iterable[ToolCall] = ()) -> dict[str, Any]:
        return {"response": text, **({"thinking": thinking} if thinking else {})}


def _end(usage: Usage, ended: Ended) -> dict[str, Any]:
    """Ollama has two reasons to end; figures that the engine did not give are left out."""
    counts = {"prompt_eval_count": usage.prompt, "eval_count": usage.completion}
    reason = ended.reason if ended.reason == LENGTH else "stop"
    return {"done": True, "done_reason": reason, **{name: n for name, n in counts.items() if n is not None}}
