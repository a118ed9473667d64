"""`/api/pull`, `/api/delete`, `/api/copy`, `/api/create`, `/api/push`: what is done to models, and where."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from routing.core.engines import is_ollama
from routing.core.placing import hindrance, holders, home_of_blobs
from routing.core.problems import Problem
from routing.management.asked import Asked, Parts, named, not_found, sent_on, streams
from routing.management.inventory import known
from routing.management.pulls import pull_of
from routing.management.relay import JSON, NDJSON, on_each, passed_on, together
from routing.upstreams import Head

log = logging.getLogger(__name__)
INVALID_NAME = "invalid model name"


async def pull(asked: Asked) -> Parts:
    """Progress as it comes, or its last word; one pull for all who ask for the same."""
    content = asked.content()
    name = named(content, INVALID_NAME, "model", "name")
    asked.check(name)
    wanted = {key: value for key, value in sent_on(content).items() if key != "name"}
    async with aclosing(pull_of(name, asked.node(content), wanted, asked.who).lines()) as lines:
        line = await anext(lines)  # what goes wrong before it has a status of its own
        if streams(content):
            yield Head(200, ((b"content-type", NDJSON),))
            yield line
        async for line in lines:
            if streams(content):
                yield line
    if not streams(content):
        yield Head(200, ((b"content-type", JSON),), line.rstrip())


async def delete(asked: Asked) -> Parts:
    """From the node that is named, else from every Ollama that has it."""
    content = asked.content()
    name = named(content, 'name "" is invalid', "model", "name")
    asked.check(name)
    nodes = _having(asked, content, name, f"model '{name}' not found")
    await _done(asked, nodes, "DELETE", sent_on(content), name, False)
    yield Head(200, (), b"")


async def copy(asked: Asked) -> Parts:
    """On the node that is named, else on every Ollama that has the source."""
    content = asked.content()
    source = named(content, 'source "" is invalid', "source")
    name = named(content, 'destination "" is invalid', "destination")
    asked.check(source, name)
    nodes = _having(asked, content, source, f'model "{source}" not found')
    await _done(asked, nodes, "POST", sent_on(content), name, True)
    yield Head(200, (), b"")


async def create(asked: Asked) -> Parts:
    """On the node that is named; else where its blobs are, or where the model is that it is made from."""
    content = asked.content()
    name = named(content, INVALID_NAME, "model", "name")
    asked.check(name)
    node = asked.node(content) or _to_create(content)
    log.info("create of %s on %s, for %s", name, node.name, asked.who)
    async with aclosing(passed_on(node, asked.path, sent_on(content))) as parts:
        async for part in parts:
            if b'"success"' in ((part.body or b"") if isinstance(part, Head) else part):
                await known([node], name, True)
            yield part


async def push(asked: Asked) -> Parts:
    """From the node that is named, else from one that has it."""
    content = asked.content()
    name = named(content, "model is required", "model", "name")
    asked.check(name)
    node = _having(asked, content, name, f"model '{name}' not found")[0]
    if words := hindrance(node):
        raise Problem("upstream_failed", 503, f"{node.name} {words}")
    log.info("push of %s from %s, for %s", name, node.name, asked.who)
    async with aclosing(passed_on(node, asked.path, sent_on(content))) as parts:
        async for part in parts:
            yield part


def _having(asked: Asked, content: Mapping[str, Any], model: str, missing: str) -> list[NodeSnapshot]:
    """The node that is named, or all Ollamas that have the model (if there are none, the others); Problem if none."""
    if node := asked.node(content):
        return [node]
    having = holders(get_fleet().snapshot(), normal(model))
    if not having:
        raise not_found(missing)
    return [n for n in having if is_ollama(n)] or having


def _to_create(content: Mapping[str, Any]) -> NodeSnapshot:
    base, fleet = content.get("from"), get_fleet().snapshot()
    having = holders(fleet, normal(base)) if isinstance(base, str) and base else []
    blobs = content.get("files") or content.get("adapters")
    return having[0] if having and not blobs and not hindrance(having[0]) else home_of_blobs(fleet)


async def _done(
    asked: Asked, nodes: Sequence[NodeSnapshot], method: str, content: Mapping[str, Any], name: str, there: bool
) -> None:
    """Do it on each of these nodes; returns once the fleet knows. Raises Problem that says where it was not done."""
    what = asked.path.rpartition("/")[2]
    log.info("%s of %s on %s, for %s", what, name, ", ".join(n.name for n in nodes), asked.who)
    troubles = await on_each(nodes, method, asked.path, content)
    well = [node for node in nodes if node.id not in troubles]
    await known(well, name, there)
    if troubles:
        raise together(f"done on {', '.join(n.name for n in well)}", list(troubles.values()))
