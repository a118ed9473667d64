"""One completion, in any dialect: a slot, a prefill, tokens at the machine's pace, an end."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import web

from nodes.simulated.engine import Engine
from nodes.simulated.faults import BREAKS, Faults, RunnerDied, SilentEnd
from nodes.simulated.machine import Machine, ModelFile
from nodes.simulated.seen import Seen
from nodes.simulated.wire import Stream, send
from nodes.simulated.words import ToolCall, count, token_ids, tokens


@dataclass(frozen=True, slots=True)
class Parts:
    """What every route of one node works with."""

    machine: Machine
    engine: Engine
    faults: Faults
    seen: Seen
    registry: Mapping[str, ModelFile] = field(default_factory=dict)  # what can be pulled
    blobs: dict[str, int] = field(default_factory=dict)  # digest → bytes
    pushed: list[str] = field(default_factory=list)


PARTS: web.AppKey[Parts] = web.AppKey("parts", Parts)


@dataclass(frozen=True, slots=True)
class Ask:
    """What one request asks of a model. None: the engine's own default."""

    file: ModelFile
    prompt: str
    prompt_tokens: int
    stream: bool
    limit: int | None = None
    context: int | None = None
    keep_alive: float | None = None
    call: ToolCall | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A finished answer. Times in nanoseconds."""

    ask: Ask
    text: str
    reason: str  # stop | length
    tokens: int
    context: list[int]
    total: int
    load: int
    prefill: int
    decode: int


class Form(Protocol):
    """How a dialect writes one answer."""

    @property
    def stream_type(self) -> str:
        """The type of a stream."""

    @property
    def whole_type(self) -> str:
        """The type of a whole answer."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Further headers of a stream."""

    def piece(self, text: str) -> bytes:
        """One token."""

    def call(self, call: ToolCall) -> bytes:
        """A tool call."""

    def end(self, result: Result) -> bytes:
        """What closes a stream that went well."""

    def died(self, error: RunnerDied) -> bytes:
        """The last that is heard of a runner that died."""

    def whole(self, result: Result) -> bytes:
        """The answer in one piece."""


@dataclass(slots=True)
class Clock:
    """Marks on the way, in monotonic nanoseconds."""

    start: int = field(default_factory=time.monotonic_ns)
    loaded: int = 0
    first: int = 0


async def answer(request: web.Request, form: Form, ask: Ask) -> web.StreamResponse:
    """The answer to one request, in this form; EngineError if it can't begin."""
    parts, clock = request.app[PARTS], Clock()
    async with parts.engine.slot(ask.file, ask.context, ask.keep_alive):
        clock.loaded = time.monotonic_ns()
        return await (_streamed if ask.stream else _whole)(request, form, ask, clock)


async def _streamed(request: web.Request, form: Form, ask: Ask, clock: Clock) -> web.StreamResponse:
    stream, pieces = Stream(request, form.stream_type, form.headers), list[str]()
    try:
        async for piece in _decode(request.app[PARTS], ask, clock):
            pieces.append(piece)
            await stream.write(form.call(ask.call) if ask.call else form.piece(piece))
        await stream.write(form.end(_result(ask, clock, pieces)))
    except RunnerDied as death:
        if not stream.begun:  # it still can be an error with its own status
            raise
        await stream.write(form.died(death))
    except SilentEnd:
        pass
    return await stream.end()


async def _whole(request: web.Request, form: Form, ask: Ask, clock: Clock) -> web.StreamResponse:
    try:
        pieces = [piece async for piece in _decode(request.app[PARTS], ask, clock)]
    except SilentEnd as end:
        raise RunnerDied from end
    return await send(request, form.whole(_result(ask, clock, pieces)), form.whole_type)


async def _decode(parts: Parts, ask: Ask, clock: Clock) -> AsyncIterator[str]:
    """Tokens, evenly, after the prefill; a tool call is one piece."""
    broken = parts.faults.next_break()
    await parts.faults.flowing()
    if parts.machine.prefill_per_second:
        await asyncio.sleep(ask.prompt_tokens / parts.machine.prefill_per_second)
    clock.first = time.monotonic_ns()
    for i, piece in enumerate(_pieces(ask, parts.machine)):
        _break_at(parts, ask, broken, i)
        await _until(clock.first, i, parts.machine.tokens_per_second)
        parts.seen.tokens += 1
        parts.seen.ring()
        yield piece
    _break_at(parts, ask, broken, None)


def _break_at(parts: Parts, ask: Ask, broken: tuple[str, int] | None, token: int | None) -> None:
    if broken and (token is None or token == broken[1]):
        if BREAKS[broken[0]] is RunnerDied:
            parts.engine.lose(ask.file)
        raise BREAKS[broken[0]]


async def _until(first: int, token: int, rate: float) -> None:
    due = first / 1e9 + token / rate if rate else 0.0
    await asyncio.sleep(max(0.0, due - time.monotonic()))


def _pieces(ask: Ask, machine: Machine) -> list[str]:
    if ask.call:
        return [ask.call.name]
    return list(tokens(ask.prompt, machine.answer_tokens if ask.limit is None else ask.limit))


def _result(ask: Ask, clock: Clock, pieces: list[str]) -> Result:
    now = time.monotonic_ns()
    cut = ask.limit is not None and not ask.call
    return Result(
        ask=ask,
        text="" if ask.call else "".join(pieces),
        reason="length" if cut else "stop",
        tokens=count(str(ask.call.arguments)) if ask.call else len(pieces),
        context=token_ids([ask.prompt, *pieces]),
        total=now - clock.start,
        load=clock.loaded - clock.start,
        prefill=max(1, clock.first - clock.loaded),
        decode=max(1, now - clock.first),
    )
