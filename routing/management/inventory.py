"""What was changed on a node is known before its client hears that it is done."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.poller import ask_now

REPORT_WITHIN = 6.0  # seconds: a node is read at once; one with an agent tells by itself, every five seconds
LOOK_EVERY = 0.02  # seconds


async def known(nodes: Sequence[NodeSnapshot], model: str, there: bool) -> None:
    """Have these nodes read, and wait until they are known to have the model, or not to have it; not for ever."""
    for node in nodes:
        ask_now(node.id)
    with suppress(TimeoutError):
        async with asyncio.timeout(REPORT_WITHIN):
            while not all(_settled(node.id, normal(model), there) for node in nodes):
                await asyncio.sleep(LOOK_EVERY)


def _settled(node_id: str, model: str, there: bool) -> bool:
    node = get_fleet().snapshot().node(node_id)
    return node is None or (model in node.on_disk) == there
