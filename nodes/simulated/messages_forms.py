"""How engines write an answer to `/v1/messages`: named events, one block of text or one call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from nodes.simulated.answer import Result
from nodes.simulated.faults import RunnerDied
from nodes.simulated.wire import EVENTS, JSON, JSON_UTF8, go_json, named_event
from nodes.simulated.words import ToolCall

Fields = dict[str, Any]
REASONS = {"stop": "end_turn", "length": "max_tokens"}


@dataclass
class MessagesForm:
    """Ollama's: the input's tokens are guessed when the stream begins, counted when it ends."""

    asked: str
    number: int  # makes the ids
    guessed: int  # tokens of the prompt
    stream_type: str = EVENTS
    whole_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    begun: bool = False

    def piece(self, text: str) -> bytes:
        return self._opening({"type": "text", "text": ""}) + self._delta({"type": "text_delta", "text": text})

    def call(self, call: ToolCall) -> bytes:
        arguments = {"type": "input_json_delta", "partial_json": orjson.dumps(call.arguments).decode()}
        return self._opening(self._used(call, {})) + self._delta(arguments)

    def end(self, result: Result) -> bytes:
        stopped = self._event("content_block_stop", index=0) if self.begun else self._start()
        last = self._event("message_delta", delta=self._stop(result), usage=self._counted(result))
        return stopped + last + self._event("message_stop")

    def died(self, error: RunnerDied) -> bytes:
        """Nothing: the stream just ends."""
        return b""

    def whole(self, result: Result) -> bytes:
        call = result.ask.call
        block = self._used(call, dict(call.arguments)) if call else {"type": "text", "text": result.text}
        return go_json(self._message([block]) | {"stop_reason": self._reason(result), "usage": self._usage(result)})

    def _opening(self, block: Fields) -> bytes:
        if self.begun:
            return b""
        self.begun = True
        return self._start() + self._event("content_block_start", index=0, content_block=block)

    def _start(self) -> bytes:
        usage = {"input_tokens": self.guessed, "output_tokens": 0}
        return self._event("message_start", message=self._message([]) | {"stop_reason": None, "usage": usage})

    def _message(self, blocks: list[Fields]) -> Fields:
        head = {"id": f"msg_{self.number:024x}", "type": "message", "role": "assistant", "model": self.asked}
        return head | {"content": blocks}

    def _delta(self, delta: Fields) -> bytes:
        return self._event("content_block_delta", index=0, delta=delta)

    def _event(self, name: str, **data: Any) -> bytes:
        return named_event({"type": name, **data})

    def _used(self, call: ToolCall, arguments: Fields) -> Fields:
        return {"type": "tool_use", "id": f"call_{self.number:08d}", "name": call.name, "input": arguments}

    def _stop(self, result: Result) -> Fields:
        return {"stop_reason": self._reason(result)}

    def _counted(self, result: Result) -> Fields:
        return self._usage(result)

    def _usage(self, result: Result) -> Fields:
        return {"input_tokens": result.ask.prompt_tokens, "output_tokens": result.tokens}

    def _reason(self, result: Result) -> str:
        return "tool_use" if result.ask.call else REASONS[result.reason]


@dataclass
class LlamaMessagesForm(MessagesForm):
    """llama.cpp's: at the end it counts the answer alone; a broken stream says so."""

    whole_type: str = JSON_UTF8

    def died(self, error: RunnerDied) -> bytes:
        return self._event("error", error={"type": "api_error", "message": error.message})

    def _counted(self, result: Result) -> Fields:
        return {"output_tokens": result.tokens}

    def _stop(self, result: Result) -> Fields:
        return super()._stop(result) | {"stop_sequence": None}
