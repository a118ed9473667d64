"""The data plane's one ASGI application: doors, body, the walk, and the record of how it came out."""

import asyncio
import logging
import time
from contextlib import aclosing

from nodes.lib.local import Caller
from routing import doors, eventlog, wire
from routing.aftermath import problem_of, proven
from routing.core.access import Key
from routing.core.problems import Problem, UpstreamFailed
from routing.core.request import InferenceRequest
from routing.headers import PREFLIGHT, STREAM, cors_headers, decision_headers
from routing.intake import understood
from routing.listings import LISTINGS, Listing
from routing.management import MANAGEMENT
from routing.management.answering import manage
from routing.management.asked import Asked, Managed
from routing.notebook import notebook
from routing.pipeline import serve
from routing.protocols import PROTOCOLS, dialect_of
from routing.protocols.base import Answer, Protocol
from routing.recorder import Trace
from routing.refusals import worth_recording
from routing.renaming import as_asked
from routing.shutdown import accepting, stopping, under_way
from routing.upstreams import Head

log = logging.getLogger(__name__)
meter = doors.Meter()


def is_ours(path: str) -> bool:
    """Does this path belong to the data plane? `/` and all that engines' clients ask for."""
    return path == "/" or path.startswith(("/api/", "/v1/")) or path in ("/api", "/v1")


async def data_plane(scope: wire.Scope, receive: wire.Receive, send: wire.Send) -> None:
    """Answer one request of an engine's client."""
    path, method = scope["path"], scope["method"]
    headers = wire.headers_of(scope)
    dialect = dialect_of(path, b"anthropic-version" in headers)
    who = doors.who_asks(headers, (scope.get("client") or ("",))[0])
    if method == "POST" and path in PROTOCOLS:
        await _inference(Trace(path, dialect.name, who.address), who, headers, receive, send)
    else:
        await _other(scope, who, headers, receive, send, dialect)


async def _inference(
    trace: Trace, who: Caller, headers: dict[bytes, bytes], receive: wire.Receive, send: wire.Send
) -> None:
    """One inference request: exactly one decision, whatever happens."""
    cors: wire.Headers = []
    try:
        doors.check_loop(headers)
        cors = cors_headers(doors.check_page(headers))
        key = doors.key_of(headers, who.local)
        trace.key = key.name if key else ""
        with meter.counted(key):
            content = await wire.read_body(headers, receive)
            trace.request = understood(trace.id, trace.at, trace.path, content, headers, trace.client, key)
            await _walk(trace.request, trace, key, cors, receive, send)
    except Problem as problem:
        trace.verdict(problem)
        trace.recorded = trace.outcome != "refused" or worth_recording(trace.client, time.monotonic())
        await _refuse(trace, problem, cors, send)
    except wire.ClientGone:
        trace.ended("client_gone")
    except Exception:
        log.exception("decision %s: a fault of ours", trace.id)
        trace.ended("upstream_failed", 500, "internal error")
        await _refuse(trace, Problem("upstream_failed", 500, "internal error; see the router's log"), cors, send)
    finally:
        if trace.outcome is None:
            trace.ended("interrupted")
        eventlog.ended(trace)
        if trace.recorded:
            notebook.note(trace)


async def _walk(
    request: InferenceRequest,
    trace: Trace,
    key: Key | None,
    cors: wire.Headers,
    receive: wire.Receive,
    send: wire.Send,
) -> None:
    """From an understood request to its last byte, unless the client leaves or the server stops."""
    doors.check_model(key, request.demand.models)
    accepting()
    notebook.note(trace)
    try:
        async with wire.cancelled_when_gone(receive, lambda: proven(request, trace)):
            with under_way(trace):
                await _stream(request, trace, cors, send)
    except asyncio.CancelledError:  # by the server: a client that leaves is ClientGone
        await _interrupted(request, trace, send)


async def _interrupted(request: InferenceRequest, trace: Trace, send: wire.Send) -> None:
    """The server stops: 503 if nothing of the answer was sent, else a stream ends in the dialect's own words."""
    if task := asyncio.current_task():
        task.uncancel()
    problem = stopping()
    if not trace.started:
        raise problem
    trace.ended(problem.outcome, trace.status, problem.message)
    if request.stream:
        await wire.body(send, PROTOCOLS[request.path].broken(problem.message, trace.tail))


async def _stream(request: InferenceRequest, trace: Trace, cors: wire.Headers, send: wire.Send) -> None:
    """The answer as it comes; a break after the first byte ends it in the dialect's own words."""
    async with aclosing(as_asked(serve(request, trace), request, trace)) as parts:
        try:
            async for part in parts:
                if isinstance(part, Head):
                    await _head(part, trace, cors, send)
                else:
                    await wire.body(send, part, more=True)
            if request.stream and (trace.status or 0) < 400:
                await wire.body(send, b"")
        except UpstreamFailed as failure:
            if not trace.started:
                raise problem_of(request, failure) from failure
            trace.ended("timed_out" if failure.timed_out else "upstream_failed", trace.status, failure.message)
            await wire.body(send, PROTOCOLS[request.path].broken(failure.message, trace.tail))


async def _head(head: Head, trace: Trace, cors: wire.Headers, send: wire.Send) -> None:
    lines = [*head.headers, *decision_headers(trace), *cors]
    if head.body is None:
        await wire.start(send, head.status, [*lines, *STREAM])
        return
    await wire.start(send, head.status, [*lines, (b"content-length", str(len(head.body)).encode())])
    await wire.body(send, head.body)


async def _refuse(trace: Trace, problem: Problem, cors: wire.Headers, send: wire.Send) -> None:
    if trace.started:
        return
    if problem.outcome == "unknown_model" and trace.request is not None:
        problem.message = dialect_of(trace.path).unknown_model(trace.path, trace.request.wanted)
        trace.reason = problem.message
    problem.decision = trace.id if trace.recorded else ""
    later = [(b"retry-after", str(problem.retry_after).encode())] if problem.retry_after else []
    await wire.answer(send, dialect_of(trace.path).problem(problem), [*later, *decision_headers(trace), *cors])


async def _other(
    scope: wire.Scope,
    who: Caller,
    headers: dict[bytes, bytes],
    receive: wire.Receive,
    send: wire.Send,
    dialect: Protocol,
) -> None:
    """Everything that is no inference: listings, greetings, wrong methods, unknown paths."""
    cors: wire.Headers = []
    method, head_only = scope["method"], scope["method"] == "HEAD"
    try:
        doors.check_loop(headers)
        cors = cors_headers(doors.check_page(headers))
        if method == "OPTIONS":
            await wire.answer(send, Answer(204, b""), [*cors, *PREFLIGHT])
            return
        path, query = scope["path"], scope.get("query_string", b"")
        if row := next((one for one in MANAGEMENT if one.takes(path) and method in one.methods), None):
            key = doors.key_of(headers, who.local)
            await manage(row, Asked(path, method, query, headers, receive, key, who.address), cors, send)
            return
        said = await _answered(scope, who, headers, receive, dialect)
    except Problem as problem:
        if problem.outcome == "refused":
            eventlog.refused(who.address, scope["path"], problem.status, problem.message)
        said = dialect.problem(problem)
    except wire.ClientGone:
        return
    except Exception:
        log.exception("%s %s: a fault of ours", method, scope["path"])
        said = dialect.problem(Problem("upstream_failed", 500, "internal error; see the router's log"))
    await wire.answer(send, said, cors, head_only)


async def _answered(
    scope: wire.Scope, who: Caller, headers: dict[bytes, bytes], receive: wire.Receive, dialect: Protocol
) -> Answer:
    path, method = scope["path"], scope["method"]
    key = doors.key_of(headers, who.local) if path != "/" else None
    listing = next((one for one in LISTINGS if one.takes(path) and method in one.methods), None)
    if listing is not None:
        return await listing.answer(path, headers, receive, key)
    allow = ", ".join(_methods(path))
    if not allow:
        return not_found(dialect, path)
    words = f"method {method} is not allowed on {path}; use {allow}"
    return dialect.problem(Problem("invalid", 405, words, headers={"Allow": allow}))


def _methods(path: str) -> tuple[str, ...]:
    rows: tuple[Listing | Managed, ...] = (*LISTINGS, *MANAGEMENT)
    row = next((one for one in rows if one.takes(path)), None)
    return row.methods if row else ("POST",) if path in PROTOCOLS else ()


def not_found(dialect: Protocol, path: str) -> Answer:
    """An unknown path, as the engines say it."""
    if dialect.name == "ollama":
        return Answer(404, b"404 page not found", b"text/plain")
    return dialect.problem(Problem("invalid", 404, f"there is no {path} here"))
