"""The demonstration's router: `manage.py serve` in a child process, and what is asked of its control API."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from fleetsite import serverfile

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
READY = "ready "
STOP_WITHIN = 20.0  # seconds
CHUNK = 65536  # bytes
# What could lead it to real machines, to real data, or behind a key; everything else of the environment holds.
NOT_OURS = frozenset({"DATABASE_URL", "FLEET_REDIS_URL", "FLEET_ENROLMENT_TOKEN"})
SECRETS = ("FLEET_ADMIN_PASSWORD", "FLEET_API_KEY")
OURS = {
    "FLEET_DETECT_LOCAL_OLLAMA": "false",
    "FLEET_REQUIRE_API_KEY": "auto",
    "FLEET_POLL_INTERVAL": "1",
}


class RouterEnded(Exception):
    """The router is not there, or no longer."""


@dataclass(frozen=True, slots=True)
class Served:
    """A router that serves."""

    url: str  # as its ready line says
    local_url: str
    token: str
    process: Process

    async def ended(self) -> None:
        """Returns never; raises RouterEnded once it is gone."""
        status = await self.process.wait()
        raise RouterEnded(f"The router ended with status {status}; its words are above.")

    async def call(self, method: str, path: str, content: Any = None) -> Any:
        """The answer of its control API; raises RouterEnded."""
        headers = {"Authorization": f"Bearer {self.token}"}
        try:
            async with aiohttp.ClientSession(self.local_url, headers=headers, raise_for_status=True) as client:
                async with client.request(method, f"/fleet/api/v1/{path}", json=content) as answer:
                    return await answer.json()
        except aiohttp.ClientError as error:
            raise RouterEnded(f"The router does not answer: {error}") from error


@asynccontextmanager
async def router(directory: Path, host: str, port: int, password: str) -> AsyncIterator[Served]:
    """A router on this data directory until the end of the block; RouterEnded if it does not start."""
    words = ("serve", "--host", host, "--port", str(port), "--data-dir", str(directory))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(MANAGE), *words),
        env={k: v for k, v in os.environ.items() if k not in NOT_OURS} | OURS | dict.fromkeys(SECRETS, password),
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,  # Ctrl-C is ours: it is told to end when the traffic has
    )
    ready = asyncio.Event()
    log = asyncio.create_task(_pass_on(process, ready))
    try:
        served = await _ready(process, directory)
        ready.set()
        yield served
    finally:
        await _stop(process)
        await log


async def _pass_on(process: Process, ready: asyncio.Event) -> None:
    """Its log on our stderr; what a first start says to an operator only if it does not get ready."""
    assert process.stderr is not None
    held = b""
    while said := await process.stderr.read(CHUNK):
        if ready.is_set():
            sys.stderr.write(said.decode(errors="replace"))
            sys.stderr.flush()
        else:
            held += said
    if not ready.is_set():
        sys.stderr.write(held.decode(errors="replace"))


async def _ready(process: Process, directory: Path) -> Served:
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    found = serverfile.read(directory)
    if not line.startswith(READY) or found is None:
        raise RouterEnded("The router did not start; its words are above.")
    return Served(line.removeprefix(READY).strip(), found.url, found.token, process)


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(STOP_WITHIN):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
