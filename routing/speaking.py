"""SPEAK: the client's own bytes to a node that speaks its dialect; translated, both ways, to one that does not."""

import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from nodes.core.values import NodeSnapshot
from routing.core.problems import Problem, UpstreamFailed
from routing.core.request import InferenceRequest
from routing.core.routes import lacking
from routing.protocols import PROTOCOLS, tokens
from routing.translation import DIALECTS, TARGETS, Encoder, Marks, Outgoing, Reader
from routing.translation import embedding as embeddings
from routing.translation.chat import Chat, without_thinking
from routing.translation.engines.reader import words_of
from routing.translation.events import Broken, Event
from routing.upstreams import Head, upstream_for
from routing.upstreams.base import Over
from routing.upstreams.outgoing import spelling

JSON = b"application/json"
THINKING = "thinking"
MOST_NAMES, LONGEST_NAME = 32, 64  # what a client sent is told back in a header: not more than that
NO_NAME = re.compile(r"[^\w.-]", re.ASCII)
Parts = AsyncGenerator[Head | bytes, None]


def answered(node: NodeSnapshot, request: InferenceRequest, model: str, over: Over) -> Parts:
    """First the Head, then the answer's bytes, in the client's dialect. Raises UpstreamFailed."""
    if request.path not in lacking(node):
        return upstream_for(node).stream(node, request, model, over)
    return _embedded(node, request, model) if request.path in embeddings.DIALECTS else _told(node, request, model)


async def _told(node: NodeSnapshot, request: InferenceRequest, model: str) -> Parts:
    dialect, target = DIALECTS[request.path], TARGETS[node.engine]
    try:
        chat = dialect.decode(request.content)
        asked = chat if _may_think(node, model) else without_thinking(chat)
        out = target.render(replace(asked, model=spelling(request.asked, node, model)))
    except Problem as problem:
        raise _refused(node, problem) from problem
    writer, reader = dialect.encoder(replace(chat, model=request.asked), _marks(request, chat)), target.events()
    theirs = upstream_for(node).stream(node, _theirs(node, request, model, out), model, lambda: reader.over)
    tell = _streamed if request.stream else _whole
    async with aclosing(theirs) as parts, aclosing(tell(parts, reader, writer, node)) as ours:
        async for part in ours:
            yield _headed(part, request, out, dialect.stream_type) if isinstance(part, Head) else part


async def _embedded(node: NodeSnapshot, request: InferenceRequest, model: str) -> Parts:
    dialect, target = embeddings.DIALECTS[request.path], embeddings.TARGETS[node.engine]
    try:
        asked = dialect.decode(request.content)
        out = target.render(replace(asked, model=spelling(request.asked, node, model)))
    except Problem as problem:
        raise _refused(node, problem) from problem
    theirs = upstream_for(node).stream(node, _theirs(node, request, model, out), model, lambda: False)
    async with aclosing(theirs) as parts:
        async for part in parts:
            assert isinstance(part, Head)  # of an answer that is not streamed there is nothing else
            if part.status < 400:
                vectors = target.vectors(asked, part.body or b"")
                part = replace(part, body=dialect.encode(replace(asked, model=request.asked), vectors))
            yield _headed(part, request, out, JSON)


async def _streamed(parts: Parts, reader: Reader, writer: Encoder, node: NodeSnapshot) -> Parts:
    """The Head goes out with the first piece that means something: until then another node may answer."""
    waiting: list[Head | bytes] = []
    async for part in _events(parts, reader):
        if isinstance(part, Head):
            waiting.append(part)
            continue
        broken = next((event for event in part if isinstance(event, Broken)), None)
        if told := b"".join(writer.event(event) for event in part if event is not broken):
            for piece in (*waiting, told):
                yield piece
            waiting = []
        if broken is not None:
            raise UpstreamFailed(f"{node.name} broke off: {broken.message}")
    for refusal in waiting:
        yield refusal


async def _whole(parts: Parts, reader: Reader, writer: Encoder, node: NodeSnapshot) -> Parts:
    head, events = Head(200, ()), list[Event]()
    async for part in _events(parts, reader):
        if isinstance(part, Head):
            head = part
        else:
            events += part
    yield head if head.body is not None else replace(head, body=writer.whole(events))


async def _events(parts: Parts, reader: Reader) -> AsyncGenerator[Head | list[Event], None]:
    """The Head, then the events of each chunk; none after a Head with a body, which is an error."""
    async for part in parts:
        yield part if isinstance(part, Head) else reader.feed(part)
        if isinstance(part, Head) and part.body is not None:
            return
    yield reader.end()


def _theirs(node: NodeSnapshot, request: InferenceRequest, model: str, out: Outgoing) -> InferenceRequest:
    """The request as this engine gets it."""
    content = {"model": spelling(request.asked, node, model)}
    return replace(request, path=out.path, body=out.body, content=content, stream=request.path in DIALECTS)


def _headed(head: Head, request: InferenceRequest, out: Outgoing, stream_type: bytes) -> Head:
    """The Head in the client's dialect: its content type, its errors, and what was done to the request."""
    dropped = ",".join(NO_NAME.sub("?", name[:LONGEST_NAME]) for name in out.dropped[:MOST_NAMES])
    done = [(b"x-fleet-translated", out.path.encode())]
    if dropped:
        done.append((b"x-fleet-dropped", dropped.encode()))
    note = f"translated to {out.path}" + (f"; dropped: {dropped}" if dropped else "")
    if head.status < 400:
        kind = stream_type if head.body is None else JSON
        return Head(head.status, ((b"content-type", kind), *done), head.body, note)
    said = PROTOCOLS[request.path].problem(Problem("invalid", head.status, words_of(head.body or b"")))
    return Head(head.status, ((b"content-type", said.content_type), *done), said.body, note)


def _refused(node: NodeSnapshot, problem: Problem) -> UpstreamFailed:
    """This node can't be told what was asked; one that speaks the dialect can."""
    return UpstreamFailed(f"{node.name}: {problem.message}", problem.status, against=False, refusal=problem)


def _may_think(node: NodeSnapshot, model: str) -> bool:
    """Does the node not say that this model can't?"""
    on_disk = node.on_disk.get(model)
    return not (on_disk and on_disk.capabilities) or THINKING in on_disk.capabilities


def _marks(request: InferenceRequest, chat: Chat) -> Marks:
    output = min(chat.options.max_tokens or 0, tokens.MOST_OUTPUT)
    return Marks(request.id, time.time(), max(1, request.demand.estimated_tokens - output))
