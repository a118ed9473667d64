"""How engines write an answer to `/v1/responses`: named events, one item."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from nodes.simulated.answer import Result
from nodes.simulated.faults import RunnerDied
from nodes.simulated.wire import EVENTS, JSON, go_json, named_event
from nodes.simulated.words import ToolCall

Fields = dict[str, Any]
ECHOED: Mapping[str, Any] = {
    "error": None,
    "tools": [],
    "tool_choice": "auto",
    "truncation": "disabled",
    "parallel_tool_calls": True,
    "text": {"format": {"type": "text"}},
    "top_p": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "top_logprobs": 0,
    "temperature": 1,
    "reasoning": None,
}
STATELESS: Mapping[str, Any] = {
    "max_tool_calls": None,
    "store": False,
    "background": False,
    "service_tier": "default",
    "metadata": {},
    "safety_identifier": None,
    "prompt_cache_key": None,
}


@dataclass
class ResponsesForm:
    """A stream ends in the whole answer; it is `completed` even where it was cut at its limit."""

    asked: str
    number: int  # makes the ids
    numbered: bool = True  # do events carry their place in the stream?
    stream_type: str = EVENTS
    whole_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    created: int = field(default_factory=lambda: int(time.time()))
    sent: int = 0
    text: str = ""

    def piece(self, text: str) -> bytes:
        opening = b"" if self.text else self._opening(self._text_item("in_progress", [])) + self._part_added()
        self.text += text
        return opening + self._part_event("output_text.delta", delta=text)

    def call(self, call: ToolCall) -> bytes:
        item, arguments = self._call_item(call, "in_progress"), orjson.dumps(call.arguments).decode()
        place = {"item_id": item["id"], "output_index": 0}
        said = self._event("function_call_arguments.delta", **place, delta=arguments)
        return (
            self._opening(item | {"arguments": ""})
            + said
            + self._event("function_call_arguments.done", **place, arguments=arguments)
        )

    def end(self, result: Result) -> bytes:
        item = self._item(result)
        closing = b"" if result.ask.call else self._text_done()
        done = self._event("output_item.done", output_index=0, item=item)
        return closing + done + self._event("completed", response=self._answer(result))

    def died(self, error: RunnerDied) -> bytes:
        """Nothing: the stream just ends."""
        return b""

    def whole(self, result: Result) -> bytes:
        return go_json(self._answer(result))

    def _opening(self, item: Fields) -> bytes:
        begun = self._head("in_progress") | {"output": [], "usage": None}
        states = self._event("created", response=begun) + self._event("in_progress", response=begun)
        return states + self._event("output_item.added", output_index=0, item=item)

    def _part_added(self) -> bytes:
        return self._part_event("content_part.added", part=self._part(""))

    def _text_done(self) -> bytes:
        said = self._part_event("output_text.done", text=self.text)
        return said + self._part_event("content_part.done", part=self._part(self.text))

    def _part_event(self, name: str, **data: Any) -> bytes:
        return self._event(name, item_id=f"msg_{self.number}", output_index=0, content_index=0, **data)

    def _event(self, name: str, **data: Any) -> bytes:
        number = {"sequence_number": self.sent} if self.numbered else {}
        self.sent += 1
        return named_event({"type": f"response.{name}", **number, **data})

    def _answer(self, result: Result) -> Fields:
        prompt, answer = result.ask.prompt_tokens, result.tokens
        counts = {"input_tokens": prompt, "output_tokens": answer, "total_tokens": prompt + answer}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        limit = {"max_output_tokens": result.ask.limit}
        body = {**self._head("completed"), "output": [self._item(result)], **ECHOED}
        return {**body, "usage": counts | details, **limit, **STATELESS}

    def _head(self, status: str) -> Fields:
        stamp = {"id": f"resp_{self.number}", "object": "response", "created_at": self.created, "status": status}
        return stamp | {"incomplete_details": None, "model": self.asked, "instructions": None}

    def _item(self, result: Result) -> Fields:
        if result.ask.call:
            return self._call_item(result.ask.call, "completed")
        return self._text_item("completed", [self._part(result.text)])

    def _text_item(self, status: str, parts: list[Fields]) -> Fields:
        return {"id": f"msg_{self.number}", "type": "message", "status": status, "role": "assistant", "content": parts}

    def _part(self, text: str) -> Fields:
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _call_item(self, call: ToolCall, status: str) -> Fields:
        head = {"id": f"fc_{self.number}", "type": "function_call", "status": status}
        said = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
        return head | {"call_id": f"call_{self.number:08d}"} | said
