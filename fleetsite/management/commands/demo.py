"""`manage.py demo`: a fleet to look at, without a machine of one's own."""

import asyncio
import secrets
import signal
from argparse import ArgumentTypeError
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from fleetsite.binding import is_loopback
from fleetsite.demo.router import RouterEnded, Served
from fleetsite.demo.stage import show
from fleetsite.management.commands.serve import port

MOST_NODES = 64
GUIDE = """
{nodes} simulated machines, invented requests, a real router; all its data is in a temporary directory.

  watch   {url}/fleet/                   nodes, queues, and each decision as it is made
  steer   {url}/admin/parameters/        change a weight: the next decision obeys
          {url}/admin/nodes/node/        pause a node: see it eliminated, with that reason
  ask     curl {url}/api/generate -d '{{"model": "phi4:14b", "prompt": "Hello"}}'
          {url}/fleet/api/docs           everything it answers

Sign in as admin, password {password}; from another machine the same word is the API key.
Eight seconds from now, and every 45 seconds, many clients want one model at once. Watch its queue: at three, the
model is loaded on the runner-up (pre-warm); at four waiting, some are moved to where it is loaded (rebalance).
Ctrl-C ends it all and leaves nothing behind.
"""


class Command(BaseCommand):
    """Show a simulated fleet with traffic until SIGTERM or SIGINT."""

    help = "Serve simulated machines with lively traffic, from a temporary data directory; prints `ready URL`."
    requires_system_checks = ()  # the router, a process of its own, checks

    def add_arguments(self, parser: CommandParser) -> None:
        """How many machines, and where the router listens."""
        parser.add_argument("--nodes", type=_nodes, default=4, help="Simulated machines. [%(default)s]")
        parser.add_argument("--host", default="127.0.0.1", help="Where the router listens. [%(default)s]")
        parser.add_argument("--port", type=port, default=11435, help="0: any free one. [%(default)s]")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show it; CommandError if the router does not start or does not last."""
        password = "demo" if is_loopback(options["host"]) else secrets.token_urlsafe(9)

        def ready(served: Served) -> None:
            self.stdout.write(f"ready {served.url}")
            self.stdout.flush()
            self.stderr.write(GUIDE.format(nodes=options["nodes"], url=served.local_url, password=password), _plain)

        try:
            asyncio.run(_until_signal(show(options["nodes"], options["host"], options["port"], password, ready)))
        except (RouterEnded, OSError) as error:
            raise CommandError(str(error)) from error


async def _until_signal(work: Coroutine[Any, Any, None]) -> None:
    """The work, cancelled by the first SIGTERM or SIGINT; further ones do not disturb its end."""
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: task.cancelling() or task.cancel())
    with suppress(asyncio.CancelledError):
        await task


def _plain(text: str) -> str:
    return text


def _nodes(text: str) -> int:
    if text.isdecimal() and 0 < int(text) <= MOST_NODES:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of machines: give 1 to {MOST_NODES}")
