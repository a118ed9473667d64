"""The whole demonstration: machines, router, traffic; all of it gone when it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fleetsite.demo.machines import DemoMachine, machines
from fleetsite.demo.router import Served, router
from fleetsite.demo.script import script
from fleetsite.demo.traffic import play
from nodes.simulated import SimulatedNode

SEED = 7
PEOPLE_A_NODE = 1.5
LOOK_EVERY = 0.2  # seconds
Placed = tuple[DemoMachine, str]  # a machine and where it answers


async def show(count: int, host: str, port: int, password: str, ready: Callable[[Served], None]) -> None:
    """Play until cancelled; `ready` is called when the router knows all its nodes. Raises RouterEnded."""
    with TemporaryDirectory(prefix="fleetsite-demo-") as directory:
        async with placed(machines(count)) as there, router(Path(directory), host, port, password) as served:
            await _while_served(served, _opened(served, there, ready))


@asynccontextmanager
async def placed(wanted: Sequence[DemoMachine]) -> AsyncIterator[list[Placed]]:
    """The machines, each on a free port of this machine, until the end of the block."""
    async with AsyncExitStack() as stack:
        there: list[Placed] = []
        for one in wanted:
            node = SimulatedNode(one.listed, one.machine)
            stack.push_async_callback(node.stop)
            there.append((one, await node.start()))
        yield there


async def _opened(served: Served, there: Sequence[Placed], ready: Callable[[Served], None]) -> None:
    for one, url in there:
        await served.call("POST", "nodes", _enrolment(one, url))
    while not await _all_known(served):
        await asyncio.sleep(LOOK_EVERY)
    ready(served)
    models = sorted({model for one, _ in there for model in one.models})
    await play(served.local_url, script(SEED, models, 2 + round(PEOPLE_A_NODE * len(there))))


def _enrolment(one: DemoMachine, url: str) -> dict[str, object]:
    return {
        "name": one.name,
        "url": url,
        "memory_gb": one.machine.memory_gb,
        "bandwidth_gbps": one.bandwidth_gbps,
        "parallel": one.machine.parallel,
        "note": f"simulated {one.chip}",
    }


async def _all_known(served: Served) -> bool:
    rows = (await served.call("GET", "nodes"))["results"]
    return all(row["reachable"] and row["on_disk"] for row in rows)


async def _while_served(served: Served, playing: Coroutine[Any, Any, None]) -> None:
    """Play; RouterEnded as soon as the router is gone."""
    tasks = [asyncio.create_task(playing), asyncio.create_task(served.ended())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
