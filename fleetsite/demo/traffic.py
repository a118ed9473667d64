"""The script, played against a router."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import aiohttp

from fleetsite.demo.script import Ask, Cue

MOST_AT_ONCE = 300  # a router that answers nobody is not asked without end


async def play(url: str, cues: Iterable[Cue]) -> None:
    """Ask what is on cue until cancelled or the cues are out; whoever is still asking then leaves."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(url, connector=connector) as client, asyncio.TaskGroup() as group:
        asking, start = set[asyncio.Task[None]](), asyncio.get_running_loop().time()
        for cue in cues:
            await asyncio.sleep(start + cue.at - asyncio.get_running_loop().time())
            if len(asking) < MOST_AT_ONCE:
                task = group.create_task(_ask(client, cue.ask))
                asking.add(task)
                task.add_done_callback(asking.discard)


async def _ask(client: aiohttp.ClientSession, ask: Ask) -> None:
    """One request, its answer read to the end, whatever it is."""
    headers = {"X-Fleet-Session": ask.session} if ask.session else {}
    with suppress(aiohttp.ClientError, TimeoutError):
        async with asyncio.timeout(ask.patience), client.post(ask.path, json=ask.body, headers=headers) as answer:
            async for _ in answer.content.iter_any():
                pass
