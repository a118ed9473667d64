"""OpenAI's responses: items that are added, filled and done, in events numbered without a gap."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from routing.translation.answers.encoder import Encoder, Marks
from routing.translation.answers.response import failure, response
from routing.translation.chat import Chat, Tool
from routing.translation.events import (
    FILTERED,
    LENGTH,
    Broken,
    Ended,
    Event,
    Started,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
    fold,
)
from routing.translation.lines import named

MESSAGE, REASONING = "message", "reasoning"
INCOMPLETE = {LENGTH: "max_output_tokens", FILTERED: "content_filter"}
PREFIXES = {MESSAGE: "msg", REASONING: "rs", "function_call": "fc", "custom_tool_call": "ctc"}
TEXT, SUMMARY = "response.output_text", "response.reasoning_summary_text"
PARTS = {MESSAGE: "response.content_part", REASONING: "response.reasoning_summary_part"}
DELTAS = {MESSAGE: TEXT, REASONING: SUMMARY}
PLACES = {MESSAGE: {"content_index": 0}, REASONING: {"summary_index": 0}}
Payload = dict[str, Any]


class OpenAIResponses(Encoder):
    """One item is open at a time; what is done is in `output`."""

    def __init__(self, chat: Chat, marks: Marks) -> None:
        super().__init__(chat, marks)
        self.last: Payload = {}  # the response as it was last told
        self._tools: Mapping[str, Tool] = {tool.called: tool for tool in chat.tools}
        self._output: list[Payload] = []
        self._open = ""
        self._said: list[str] = []
        self._weighed: list[Mapping[str, Any]] = []
        self._number = 0
        self._usage = Usage()

    def event(self, event: Event) -> bytes:
        return b"".join(map(self._numbered, self._events(event)))

    def whole(self, events: Sequence[Event]) -> bytes:
        fold(events)  # raises for a stream that broke
        for event in events:
            self.event(event)
        return orjson.dumps(self.last)

    def _events(self, event: Event) -> Iterator[Payload]:
        match event:
            case Started():
                yield self._told("response.created", "in_progress")
                yield self._told("response.in_progress", "in_progress")
            case TextDelta(text="", logprobs=()):
                return
            case TextDelta():
                yield from self._piece(MESSAGE, event.text, event.logprobs)
            case ThinkingDelta():
                yield from self._piece(REASONING, event.text)
            case ToolCall():
                yield from self._close()
                yield from self._call(event)
            case Usage():
                self._usage = event
            case Ended():
                yield from self._end(INCOMPLETE.get(event.reason))
            case Broken():
                yield self._told("response.failed", "failed", error=failure(event.message))

    def _numbered(self, payload: Payload) -> bytes:
        number, self._number = self._number, self._number + 1
        return named({"type": payload["type"], "sequence_number": number, **payload})

    def _told(self, type: str, status: str, **more: Any) -> Payload:
        self.last = response(self.chat, self.marks, status, self._output, self._usage, **more)
        return {"type": type, "response": self.last}

    def _end(self, why: str | None) -> Iterator[Payload]:
        yield from self._close("incomplete" if why else "completed")
        if why:
            yield self._told("response.incomplete", "incomplete", incomplete_details={"reason": why})
        else:
            yield self._told("response.completed", "completed")

    def _piece(self, kind: str, text: str, logprobs: Sequence[Mapping[str, Any]] = ()) -> Iterator[Payload]:
        if self._open != kind:
            yield from self._close()
            yield from self._start(kind)
        self._said.append(text)
        self._weighed.extend(logprobs)
        weighed = {"logprobs": logprobs} if kind == MESSAGE else {}
        yield {"type": f"{DELTAS[kind]}.delta", **self._place(kind), "delta": text, **weighed}

    def _start(self, kind: str) -> Iterator[Payload]:
        self._open, self._said, self._weighed = kind, [], []
        yield self._added(self._item(kind, "in_progress", []))
        yield {"type": f"{PARTS[kind]}.added", **self._place(kind), "part": self._part(kind)}

    def _close(self, status: str = "completed") -> Iterator[Payload]:
        kind, self._open = self._open, ""
        if not kind:
            return
        part = self._part(kind)
        weighed = {"logprobs": self._weighed} if kind == MESSAGE else {}
        yield {"type": f"{DELTAS[kind]}.done", **self._place(kind), "text": part["text"], **weighed}
        yield {"type": f"{PARTS[kind]}.done", **self._place(kind), "part": part}
        yield self._done(self._item(kind, status, [part]))

    def _call(self, call: ToolCall) -> Iterator[Payload]:
        tool = self._tools.get(call.name, Tool(call.name))
        kind, name = ("custom_tool_call", "input") if tool.free else ("function_call", "arguments")
        said = str(orjson.loads(call.arguments).get("input", "")) if tool.free else call.arguments
        spaced = {"namespace": tool.namespace} if tool.namespace else {}
        item = {"id": self._id(kind), "type": kind, "call_id": self.call_id(call), "name": tool.name, **spaced}
        place = {"item_id": item["id"], "output_index": len(self._output)}
        event = f"response.{kind}_{name}"
        yield self._added({**item, name: "", "status": "in_progress"})
        yield {"type": f"{event}.delta", **place, "delta": said}
        yield {"type": f"{event}.done", **place, name: said}
        yield self._done({**item, name: said, "status": "completed"})

    def _added(self, item: Payload) -> Payload:
        return {"type": "response.output_item.added", "output_index": len(self._output), "item": item}

    def _done(self, item: Payload) -> Payload:
        self._output = [*self._output, item]
        return {"type": "response.output_item.done", "output_index": len(self._output) - 1, "item": item}

    def _place(self, kind: str) -> Payload:
        return {"item_id": self._id(kind), "output_index": len(self._output), **PLACES[kind]}

    def _id(self, kind: str) -> str:
        return f"{PREFIXES[kind]}_{self.marks.id}{len(self._output):02}"

    def _item(self, kind: str, status: str, parts: list[Payload]) -> Payload:
        item = {"id": self._id(kind), "type": kind, "status": status}
        return {**item, "role": "assistant", "content": parts} if kind == MESSAGE else {**item, "summary": parts}

    def _part(self, kind: str) -> Payload:
        text = "".join(self._said)
        if kind == REASONING:
            return {"type": "summary_text", "text": text}
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": list(self._weighed)}
