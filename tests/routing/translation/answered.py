"""What both engines answer, as they were recorded to, and the events that it means."""

import orjson

from routing.translation.engines.reader import NO_END
from routing.translation.events import (
    LENGTH,
    STOP,
    STOP_SEQUENCE,
    TOOL_CALLS,
    Broken,
    Ended,
    Event,
    Started,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)

WEIGHED = {"token": "Hi", "logprob": -0.5, "bytes": [72, 105], "top_logprobs": []}


def ollama(*messages: dict[str, object], **last: object) -> bytes:
    """Lines of `/api/chat`; `last` makes the last of them the terminal one."""
    head = {"model": "m", "created_at": "2026-11-30T19:44:57.575850919Z"}
    lines = [{**head, "message": {"role": "assistant", "content": "", **said}, "done": False} for said in messages]
    if last:
        lines[-1] |= {"done": True, "total_duration": 1, **last}
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def chunks(*deltas: dict[str, object], finish: str | None = None, usage: bool = True, **more: object) -> bytes:
    """Chunks of `/v1/chat/completions`; with a finish, to their `[DONE]`."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    told = [{**head, "choices": [choice]} for choice in choices]
    if finish:
        told.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish, **more}]})
    if finish and usage:
        told.append({**head, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4}})
    end = b"data: [DONE]\n\n" if finish else b""
    return b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in told) + end


def call(name: str, city: str, id: str = "") -> dict[str, object]:
    return {**({"id": id} if id else {}), "function": {"name": name, "arguments": {"city": city}}}


def piece(index: int, arguments: str, **first: object) -> dict[str, object]:
    name = {"name": first.pop("name")} if "name" in first else {}
    return {"tool_calls": [{"index": index, **first, "function": {**name, "arguments": arguments}}]}


COUNTED = {"prompt_eval_count": 10, "eval_count": 4}
ENDED = (Usage(10, 4), Ended(STOP))
CALLED = (Usage(10, 4), Ended(TOOL_CALLS))
HI = (Started(), TextDelta("Hi"), TextDelta(" there"))
RAIN = ToolCall(0, "a", "weather", '{"city":"Bern"}')
SUN = ToolCall(1, "b", "weather", '{"city":"Rom"}')
NAMELESS = (ToolCall(0, "", "weather", '{"city":"Bern"}'), ToolCall(1, "", "weather", '{"city":"Rom"}'))
BERN, ROM = call("weather", "Bern", "a"), call("weather", "Rom", "b")
WHOLE_ROM = {"id": "b", "type": "function", "index": 1, "function": {"name": "weather", "arguments": '{"city":"Rom"}'}}

# scene → (what Ollama streams, its events)
OLLAMA: dict[str, tuple[bytes, tuple[Event, ...]]] = {
    "plain": (ollama({"content": "Hi"}, {"content": " there"}, {}, done_reason="stop", **COUNTED), (*HI, *ENDED)),
    "letters of several bytes": (
        ollama({"content": "Grüße, 世界"}, {"content": "🦙"}, {}, done_reason="stop", **COUNTED),
        (Started(), TextDelta("Grüße, 世界"), TextDelta("🦙"), *ENDED),
    ),
    "thinking": (
        ollama({"thinking": "a greeting"}, {"content": "Hi"}, {}, done_reason="stop", **COUNTED),
        (Started(), ThinkingDelta("a greeting"), TextDelta("Hi"), *ENDED),
    ),
    "a call after words": (
        ollama({"content": "Look"}, {"tool_calls": [BERN]}, {}, done_reason="stop", **COUNTED),
        (Started(), TextDelta("Look"), RAIN, *CALLED),
    ),
    "two calls on a line": (
        ollama({"tool_calls": [BERN, ROM]}, {}, done_reason="stop", **COUNTED),
        (Started(), RAIN, SUN, *CALLED),
    ),
    "two calls on two lines": (
        ollama({"tool_calls": [BERN]}, {"tool_calls": [ROM]}, {}, done_reason="stop", **COUNTED),
        (Started(), RAIN, SUN, *CALLED),
    ),
    "calls on the last line, without ids": (
        ollama({"tool_calls": [call("weather", "Bern"), call("weather", "Rom")]}, done_reason="stop", **COUNTED),
        (Started(), *NAMELESS, *CALLED),
    ),
    "one id for two calls": (
        ollama({"tool_calls": [BERN, call("weather", "Rom", "a")]}, {}, done_reason="stop", **COUNTED),
        (Started(), RAIN, NAMELESS[1], *CALLED),
    ),
    "length": (ollama({"content": "Hi"}, {}, done_reason="length", **COUNTED), (*HI[:2], Usage(10, 4), Ended(LENGTH))),
    "no figures": (ollama({"content": "Hi"}, {}, done_reason="stop"), (*HI[:2], Usage(), Ended(STOP))),
    "an error after words": (
        ollama({"content": "Hi"}) + b'{"error":"unexpected EOF"}\n',
        (*HI[:2], Broken("unexpected EOF")),
    ),
    "a silent end": (ollama({"content": "Hi"}), (*HI[:2], Broken(NO_END))),
}
# scene → (what OpenAI's engines stream, its events)
OPENAI: dict[str, tuple[bytes, tuple[Event, ...]]] = {
    "plain": (
        chunks({"role": "assistant", "content": None}, {"content": "Hi"}, {"content": " there"}, finish="stop"),
        (*HI, *ENDED),
    ),
    "comments and carriage returns": (
        b": ping\r\n\r\n" + chunks({"content": "Hi"}, {"content": " there"}, finish="stop").replace(b"\n", b"\r\n"),
        (*HI, *ENDED),
    ),
    "letters of several bytes": (
        chunks({"content": "Grüße, 世界"}, {"content": "🦙"}, finish="stop"),
        (Started(), TextDelta("Grüße, 世界"), TextDelta("🦙"), *ENDED),
    ),
    "thinking": (
        chunks({"reasoning_content": "a greeting"}, {"content": "Hi"}, finish="stop"),
        (Started(), ThinkingDelta("a greeting"), TextDelta("Hi"), *ENDED),
    ),
    "thinking by its other name": (
        chunks({"reasoning": "a greeting"}, {"content": "Hi"}, finish="stop"),
        (Started(), ThinkingDelta("a greeting"), TextDelta("Hi"), *ENDED),
    ),
    "a call in pieces": (
        chunks(
            {"content": "Look"},
            piece(0, "{", id="a", type="function", name="weather"),
            piece(0, '"city":'),
            piece(0, '"Bern"}'),
            finish="tool_calls",
        ),
        (Started(), TextDelta("Look"), RAIN, *CALLED),
    ),
    "two calls, mixed": (
        chunks(
            piece(0, '{"city":', id="a", name="weather"),
            {"tool_calls": [WHOLE_ROM]},
            piece(0, '"Bern"}'),
            finish="stop",
        ),
        (Started(), RAIN, SUN, *CALLED),
    ),
    "length": (chunks({"content": "Hi"}, finish="length"), (*HI[:2], Usage(10, 4), Ended(LENGTH))),
    "length within a call": (
        chunks({"content": "Hi"}, piece(0, '{"ci', id="a", name="weather"), finish="length"),
        (*HI[:2], Usage(10, 4), Ended(LENGTH)),
    ),
    "a stop sequence": (
        chunks({"content": "Hi"}, finish="stop", stop_reason="END"),
        (*HI[:2], Usage(10, 4), Ended(STOP_SEQUENCE, "END")),
    ),
    "no figures": (chunks({"content": "Hi"}, finish="stop", usage=False), (*HI[:2], Usage(), Ended(STOP))),
    "arguments that are no JSON": (
        chunks(piece(0, "city: Bern", id="a", name="weather"), finish="tool_calls"),
        (Broken("the model called weather with arguments that are no JSON object"),),
    ),
    "an error after words": (
        chunks({"content": "Hi"}) + b'data: {"error":{"message":"unexpected EOF","code":500}}\n\n',
        (*HI[:2], Broken("unexpected EOF")),
    ),
    "a silent end": (chunks({"content": "Hi"}), (*HI[:2], Broken(NO_END))),
    "done without a finish": (chunks({"content": "Hi"}) + b"data: [DONE]\n\n", (*HI[:2], Broken(NO_END))),
    "given up": (
        chunks({"content": "Hi"}, finish="abort"),
        (*HI[:2], Usage(10, 4), Broken("the engine gave up: abort")),
    ),
}
ANSWERS = {"ollama": OLLAMA, "openai": OPENAI}
CASES = [(engine, scene) for engine, scenes in ANSWERS.items() for scene in scenes]
# What a client of each dialect is told of these, in `golden/`.
TOLD: dict[str, tuple[Event, ...]] = {
    "plain": (*HI, *ENDED),
    "thinking": (Started(), ThinkingDelta("a greet"), ThinkingDelta("ing"), TextDelta("Hi"), *ENDED),
    "a call after words": (Started(), TextDelta("Look"), RAIN, *CALLED),
    "two calls without ids": (Started(), *NAMELESS, *CALLED),
    "thoughts between words": (Started(), TextDelta("Hi"), ThinkingDelta("more"), TextDelta(" there"), *ENDED),
    "JSON": (Started(), TextDelta('{"n":'), TextDelta("1}"), *ENDED),
    "weighed tokens": (Started(), TextDelta("Hi", (WEIGHED,)), *ENDED),
    "length": (*HI[:2], Usage(10, 4), Ended(LENGTH)),
    "a stop sequence": (*HI[:2], Usage(10, 4), Ended(STOP_SEQUENCE, "END")),
    "cached tokens": (*HI[:2], Usage(10, 4, 8), Ended(STOP)),
    "no figures": (*HI[:2], Usage(), Ended(STOP)),
    "nothing": (Started(), *ENDED),
    "broken": (*HI[:2], Broken("unexpected EOF")),
    "broken at once": (Broken("out of memory"),),
}
