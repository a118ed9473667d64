"""`manage.py serve`: from an empty data directory to a running router."""

import logging
import os
import secrets
import signal
import sys
from argparse import ArgumentTypeError
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import CommandError, CommandParser
from django.db import OperationalError, connections

from fleetsite import VERSION, serverfile
from fleetsite.binding import CantListen, listen, local_url, url_of
from fleetsite.datadir import make
from fleetsite.management.base import FleetCommand
from fleetsite.preparation import prepare
from fleetsite.server import StartFailed, serve
from nodes.lib.control import ControlToken
from nodes.lib.live import install
from nodes.lib.parameter import BadParameter
from routing.core.access import Binding

log = logging.getLogger(__name__)
NEEDS_REDIS = "--workers {} needs a fleet that several processes share: set FLEET_REDIS_URL, or leave --workers out."
NO_REDIS_YET = "FLEET_REDIS_URL asks for a fleet in Redis, which this version does not have yet: unset it."
EXPECTED = (CantListen, serverfile.AlreadyRunning, BadParameter, StartFailed, OperationalError, OSError)


class Command(FleetCommand):
    """Serve the router until SIGTERM or SIGINT."""

    help = "Serve the router: migrates, prints `ready URL` on stdout, drains on SIGTERM."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, and with how many processes."""
        super().add_arguments(parser)
        parser.add_argument("--host", default="127.0.0.1", help="Where to listen; 0.0.0.0: everywhere. [%(default)s]")
        parser.add_argument("--port", type=port, default=11435, help="0: any free one. [%(default)s]")
        parser.add_argument("--workers", type=_workers, default=1, help="Server processes. [%(default)s]")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, serve, leave nothing behind but the data."""
        _refuse_distributed(options["workers"])
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
        try:
            self._serve(options["host"], options["port"])
        except EXPECTED as error:
            raise CommandError(str(error)) from error
        log.info("stopped")
        _end()

    def _serve(self, host: str, port: int) -> None:
        make(settings.DATA_DIR)
        serverfile.refuse_second(settings.DATA_DIR)
        with listen(host, port) as listening:
            bound, token = Binding(host, listening.getsockname()[1]), ControlToken(secrets.token_urlsafe(32))
            serverfile.claim(settings.DATA_DIR, local_url(host, bound.port), token.value)
            try:
                self._run(listening, bound, token)
            finally:
                serverfile.drop(settings.DATA_DIR)

    def _run(self, listening: Any, bound: Binding, token: ControlToken) -> None:
        install(bound)
        install(token)
        for line in prepare(bound):
            self.stderr.write(line, self.style.NOTICE)
        from fleetsite.asgi import application  # imports the data plane: after the tables are there

        serve(application, listening, lambda: self._ready(bound))

    def _ready(self, bound: Binding) -> None:
        self.stdout.write(f"ready {url_of(bound.host, bound.port)}")
        self.stdout.flush()
        log.info("fleetsite %s serves %s, data in %s", VERSION, url_of(bound.host, bound.port), settings.DATA_DIR)


def _refuse_distributed(workers: int) -> None:
    if os.environ.get("FLEET_REDIS_URL"):
        raise CommandError(NO_REDIS_YET, returncode=2)
    if workers > 1:
        raise CommandError(NEEDS_REDIS.format(workers), returncode=2)


def _leave(*_: object) -> NoReturn:
    """A signal before the server listens to them itself."""
    raise SystemExit(0)


def _end() -> NoReturn:
    """Leave at once: a task that still runs in some thread must not hold the process."""
    connections.close_all()
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def port(text: str) -> int:
    """The port in this word of the command line; ArgumentTypeError if it is none."""
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535")


def _workers(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of processes: give 1 or more")
