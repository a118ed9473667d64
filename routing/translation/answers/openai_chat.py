"""OpenAI's chat completions: chunks that end with `[DONE]`."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from routing.protocols import OPENAI
from routing.translation.answers.encoder import Encoder, Marks
from routing.translation.chat import Chat
from routing.translation.events import (
    STOP,
    STOP_SEQUENCE,
    Broken,
    Ended,
    Event,
    Folded,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
    fold,
)
from routing.translation.lines import data

DONE = b"data: [DONE]\n\n"


class OpenAIChat(Encoder):
    """The role is told once, with the first piece; no piece but the last is empty."""

    def __init__(self, chat: Chat, marks: Marks) -> None:
        super().__init__(chat, marks)
        self._role = {"role": "assistant"}
        self._usage = Usage()

    def event(self, event: Event) -> bytes:
        match event:
            case TextDelta():
                return self._chunk({"content": event.text}, event.logprobs)
            case ThinkingDelta():
                return self._chunk({"reasoning": event.text})
            case ToolCall():
                return self._chunk({"tool_calls": [{"index": event.index, **self._call(event)}]})
            case Usage():
                self._usage = event
            case Ended():
                return self._chunk({}, finish=_reason(event)) + self._figures() + DONE
            case Broken():
                return OPENAI.broken(event.message, b"")
        return b""

    def whole(self, events: Sequence[Event]) -> bytes:
        answer = fold(events)
        choice = {
            "index": 0,
            "message": self._message(answer),
            "logprobs": _logprobs(answer.logprobs),
            "finish_reason": _reason(answer.ended),
        }
        usage = _usage(answer.usage)
        counted = {"usage": usage} if usage else {}
        return orjson.dumps({**self._head("chat.completion"), "choices": [choice], **counted})

    def _head(self, kind: str) -> dict[str, Any]:
        id, created = f"chatcmpl-{self.marks.id}", int(self.marks.at)
        return {"id": id, "object": kind, "created": created, "model": self.chat.model}

    def _chunk(
        self, delta: Mapping[str, Any], logprobs: Sequence[Mapping[str, Any]] = (), finish: str | None = None
    ) -> bytes:
        weighed = {"logprobs": _logprobs(logprobs)} if logprobs else {}
        choice = {"index": 0, "delta": {**self._role, **delta}, **weighed, "finish_reason": finish}
        self._role = {}
        return data({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _figures(self) -> bytes:
        usage = _usage(self._usage)
        if not self.chat.usage_wanted or usage is None:
            return b""
        return data({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})

    def _message(self, answer: Folded) -> dict[str, Any]:
        calls = [self._call(call) for call in answer.calls]
        thoughts = {"reasoning": answer.thinking} if answer.thinking else {}
        content = answer.text or (None if calls else "")
        return {"role": "assistant", "content": content, **thoughts, **({"tool_calls": calls} if calls else {})}

    def _call(self, call: ToolCall) -> dict[str, Any]:
        function = {"name": call.name, "arguments": call.arguments}
        return {"id": self.call_id(call), "type": "function", "function": function}


def _reason(ended: Ended) -> str:
    return STOP if ended.reason == STOP_SEQUENCE else ended.reason


def _logprobs(logprobs: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    return {"content": list(logprobs), "refusal": None} if logprobs else None


def _usage(usage: Usage) -> dict[str, Any] | None:
    """The figures, if the engine counted."""
    if usage.prompt is None and usage.completion is None:
        return None
    prompt, completion = usage.prompt or 0, usage.completion or 0
    cached = {} if usage.cached is None else {"prompt_tokens_details": {"cached_tokens": usage.cached}}
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, **cached}
