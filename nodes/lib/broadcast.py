"""The one door to the channel layer: what happens anywhere is told to who draws the dashboards.

For the serving loop only: the in-memory layer is not thread-safe. Other threads hop to it with `on_fleet_loop`.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from channels.layers import get_channel_layer

GROUP = "fleet"
Hear = Callable[[str, Mapping[str, Any]], None]
_listening = 0
_sending: set[asyncio.Task[None]] = set()


def broadcast(topic: str, payload: Mapping[str, Any]) -> None:
    """Tell all who listen; never waits, and does nothing while nobody does."""
    if _listening:
        task = asyncio.get_running_loop().create_task(_send(topic, payload))
        _sending.add(task)
        task.add_done_callback(_sending.discard)


async def listen(hear: Hear) -> None:
    """Call `hear` with whatever is broadcast from now on, until cancelled."""
    global _listening
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(GROUP, channel)
    _listening += 1
    try:
        while True:
            said = await layer.receive(channel)
            hear(said["topic"], said["payload"])
    finally:
        _listening -= 1
        await layer.group_discard(GROUP, channel)


async def _send(topic: str, payload: Mapping[str, Any]) -> None:
    await get_channel_layer().group_send(GROUP, {"type": "fleet.said", "topic": topic, "payload": dict(payload)})
