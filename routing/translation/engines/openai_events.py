"""What OpenAI's chat completions stream."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from routing.translation.engines.reader import NO_END, NO_JSON, Reader, error_words
from routing.translation.events import (
    FILTERED,
    LENGTH,
    STOP,
    STOP_SEQUENCE,
    TOOL_CALLS,
    Broken,
    Ended,
    Event,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from routing.translation.lines import ServerSent

DONE = b"[DONE]"
REASONS = {"stop": STOP, "length": LENGTH, "tool_calls": TOOL_CALLS, "content_filter": FILTERED}


@dataclass(slots=True)
class _Call:
    """A call whose arguments are still coming."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class OpenAIEvents(Reader):
    """Calls are told when they are whole; the end is told at `[DONE]`, after the figures."""

    def __init__(self) -> None:
        super().__init__(ServerSent())
        self._calls: dict[int, _Call] = {}
        self._finish = self._stop = ""
        self._usage: Usage | None = None

    def _events(self, payload: bytes) -> Iterator[Event]:
        if payload.strip() == DONE:
            yield from self._done()
            return
        said = orjson.loads(payload)
        if not isinstance(said, dict):
            yield Broken(NO_JSON)
        elif said.get("error"):
            yield Broken(error_words(said["error"]))
        else:
            self._counted(said.get("usage"))
            for choice in said.get("choices") or ():
                yield from self._choice(choice) if not choice.get("index") else ()

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Event]:
        delta = choice.get("delta") or {}
        thoughts = delta.get("reasoning_content") or delta.get("reasoning")
        if thoughts:
            yield ThinkingDelta(thoughts)
        text = delta.get("content") or delta.get("refusal") or ""
        logprobs = tuple((choice.get("logprobs") or {}).get("content") or ())
        if text or logprobs:
            yield TextDelta(text, logprobs)
        for call in delta.get("tool_calls") or ():
            self._piece(call)
        self._finish = choice.get("finish_reason") or self._finish
        matched = choice.get("stop_reason")  # vLLM: the sequence that was met, or a token's number
        self._stop = matched if isinstance(matched, str) else self._stop

    def _piece(self, call: Mapping[str, Any]) -> None:
        index = call.get("index")
        held = self._calls.setdefault(len(self._calls) if index is None else index, _Call())
        function = call.get("function") or {}
        held.id = held.id or call.get("id") or ""
        held.name = held.name or function.get("name") or ""
        held.arguments.append(function.get("arguments") or "")

    def _counted(self, usage: Mapping[str, Any] | None) -> None:
        if usage:
            details = usage.get("prompt_tokens_details") or {}
            self._usage = Usage(
                usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens")
            )

    def _done(self) -> Iterator[Event]:
        if not self._finish:
            yield Broken(NO_END)
            return
        calls = list(self._whole_calls())
        yield from calls
        if calls and isinstance(calls[-1], Broken):
            return
        yield self._usage or Usage()
        yield self._ended()

    def _whole_calls(self) -> Iterator[ToolCall | Broken]:
        """A call that the limit cut is left out: half its arguments are of use to nobody."""
        index = 0
        for _, call in sorted(self._calls.items()):
            arguments = "".join(call.arguments) or "{}"
            if is_object(arguments):
                yield ToolCall(index, self._fresh(call.id), call.name, arguments)
                index += 1
            elif self._finish != LENGTH:
                yield Broken(f"the model called {call.name} with arguments that are no JSON object")
                return

    def _ended(self) -> Event:
        reason = REASONS.get(self._finish)
        if reason is None and self._finish != "function_call":
            return Broken(f"the engine gave up: {self._finish}")
        if reason == STOP and self._stop:
            return Ended(STOP_SEQUENCE, self._stop)
        called = self._calls and reason != LENGTH
        return Ended(TOOL_CALLS if called or reason is None else reason)


def is_object(text: str) -> bool:
    """Is this the text of a JSON object that can be written again?"""
    try:
        said = orjson.loads(text)
        return isinstance(said, dict) and bool(orjson.dumps(said))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return False
