"""A request about models, passed on to one node or to several."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import orjson

from nodes.core.values import NodeSnapshot
from nodes.lib.live import current
from routing.core.parameters import FailurePolicy
from routing.core.placing import hindrance
from routing.core.problems import Problem, UpstreamFailed
from routing.management.asked import Parts, streams
from routing.upstreams import Head
from routing.upstreams.client import Response, asked
from routing.upstreams.passthrough import within

JSON_HEADERS = [("Content-Type", "application/json")]
NDJSON, JSON = b"application/x-ndjson", b"application/json; charset=utf-8"


async def passed_on(node: NodeSnapshot, path: str, content: Mapping[str, Any]) -> Parts:
    """The node's answer, in the very bytes: streamed as it comes, or whole. Raises UpstreamFailed."""
    limit = current(FailurePolicy).answer
    async with AsyncExitStack() as stack:
        async with within(node, limit, "no answer"):
            answer = await stack.enter_async_context(asked(node, "POST", path, orjson.dumps(content), JSON_HEADERS))
            whole = answer.status >= 400 or not streams(content)
            chunk = await (answer.read() if whole else answer.content.readany())
        yield Head(answer.status, type_of(answer), chunk if whole else None)
        while chunk and not whole:
            yield chunk
            async with within(node, limit, "nothing further"):
                chunk = await answer.content.readany()


async def on_each(
    nodes: Sequence[NodeSnapshot], method: str, path: str, content: Mapping[str, Any]
) -> dict[str, Problem]:
    """Do the same on several nodes at once; what went wrong, by node. Raises it if it went well nowhere."""
    told = await asyncio.gather(*(_trouble(node, method, path, content) for node in nodes))
    troubles = {node.id: trouble for node, trouble in zip(nodes, told, strict=True) if trouble}
    if troubles and len(troubles) == len(nodes):
        first, *others = troubles.values()
        raise together("done nowhere", [first, *others]) if others else first
    return troubles


def together(done: str, troubles: Sequence[Problem]) -> Problem:
    """Several troubles as one: where it went well, and why not elsewhere."""
    return Problem("upstream_failed", 502, f"{done}; " + "; ".join(t.message for t in troubles))


def words_of(said: bytes) -> str:
    """What an engine's error says."""
    try:
        told = orjson.loads(said)["error"]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        told = said[:500].decode("utf-8", "replace").strip()
    return str(told) or "it gave no reason"


def type_of(answer: Response) -> tuple[tuple[bytes, bytes], ...]:
    """The one header of an engine's answer that matters here; Ollama's empty answers have none."""
    kind = answer.headers.get("Content-Type", "")
    return ((b"content-type", kind.encode("latin-1")),) if kind else ()


async def _trouble(node: NodeSnapshot, method: str, path: str, content: Mapping[str, Any]) -> Problem | None:
    if words := hindrance(node):
        return Problem("upstream_failed", 503, f"{node.name} {words}")
    limit = current(FailurePolicy).answer
    try:
        async with within(node, limit, "no answer"):
            async with asked(node, method, path, orjson.dumps(content), JSON_HEADERS) as answer:
                said = await answer.read()
    except UpstreamFailed as failure:
        return Problem("upstream_failed", failure.status, failure.message)
    if answer.status < 400:
        return None
    return Problem("upstream_failed", answer.status, f"{node.name}: {words_of(said)}")
