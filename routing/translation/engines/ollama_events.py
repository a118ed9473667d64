"""What Ollama's `/api/chat` streams."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from routing.translation.engines.reader import NO_JSON, Reader, error_words
from routing.translation.events import (
    LENGTH,
    STOP,
    TOOL_CALLS,
    Broken,
    Ended,
    Event,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from routing.translation.lines import Lines


class OllamaEvents(Reader):
    """Calls are numbered through the whole answer, on whatever line they stand."""

    def __init__(self) -> None:
        super().__init__(Lines())
        self._calls = 0

    def _events(self, payload: bytes) -> Iterator[Event]:
        said = orjson.loads(payload)
        if not isinstance(said, dict):
            yield Broken(NO_JSON)
        elif said.get("error"):
            yield Broken(error_words(said["error"]))
        else:
            yield from self._message(said.get("message") or {}, tuple(said.get("logprobs") or ()))
            yield from self._done(said) if said.get("done") is True else ()

    def _message(self, message: Mapping[str, Any], logprobs: tuple[Mapping[str, Any], ...]) -> Iterator[Event]:
        if message.get("thinking"):
            yield ThinkingDelta(message["thinking"])
        if message.get("content") or logprobs:
            yield TextDelta(message.get("content") or "", logprobs)
        for call in message.get("tool_calls") or ():
            yield self._call(call)

    def _call(self, call: Mapping[str, Any]) -> ToolCall:
        function = call.get("function") or {}
        arguments = function.get("arguments") or {}
        text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        index, self._calls = self._calls, self._calls + 1
        return ToolCall(index, self._fresh(call.get("id") or ""), function.get("name") or "", text)

    def _done(self, said: Mapping[str, Any]) -> Iterator[Event]:
        yield Usage(said.get("prompt_eval_count"), said.get("eval_count"))
        if said.get("done_reason") == LENGTH:
            yield Ended(LENGTH)
        else:
            yield Ended(TOOL_CALLS if self._calls else STOP)
