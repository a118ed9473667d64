"""An operator loads and unloads models by hand: coroutines for the fleet's loop."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.poller import ask_now
from routing import tasks
from routing.core.catalog import is_embedding
from routing.core.prewarm import Load
from routing.core.problems import UpstreamFailed
from routing.upstreams import upstream_for

GLANCE = 1.5  # seconds in which most failures show; a load that works goes on behind
PATIENCE = 3.0  # seconds that an operator waits for a node's answer
UNKNOWN = "the router does not see this node"


class Told(NamedTuple):
    """What came of it, in words."""

    well: bool
    words: str


Work = Callable[[str, str], Coroutine[Any, Any, Told]]


async def on_each(work: Work, node_ids: Sequence[str], model: str) -> list[Told]:
    """Do it on several nodes at once; what came of it on each."""
    return await asyncio.gather(*(_soon(work(node_id, model)) for node_id in node_ids))


async def load(node_id: str, model: str) -> Told:
    """Begin to load a model; how it stands after a glance."""
    node = get_fleet().node(node_id)
    if node is None:
        return Told(False, UNKNOWN)
    task = await tasks.begin(Load(node_id, model, _embeds(node, model)))
    if task is None:
        return Told(True, "is being loaded already")
    await asyncio.wait({task}, timeout=GLANCE)
    trouble = task.result() if task.done() else ""
    return Told(not trouble, trouble or ("loaded" if task.done() else "loading"))


async def unload(node_id: str, model: str) -> Told:
    """Have a node forget a model."""
    node = get_fleet().node(node_id)
    if node is None:
        return Told(False, UNKNOWN)
    try:
        await upstream_for(node).unload(node, model, _embeds(node, model))
    except UpstreamFailed as failure:
        return Told(False, str(failure))
    ask_now(node_id)
    return Told(True, "unloaded")


async def _soon(work: Coroutine[Any, Any, Told]) -> Told:
    try:
        async with asyncio.timeout(PATIENCE):
            return await work
    except TimeoutError:
        return Told(False, f"no answer within {PATIENCE:.0f} s; it may still come about")


def _embeds(node: NodeSnapshot, model: str) -> bool:
    return is_embedding(model, node.on_disk.get(model))
