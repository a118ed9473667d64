"""What end-to-end tests stand on: a real router in a process of its own, and nothing of the machine's own settings."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import pytest

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN = 60.0  # seconds
STOP_WITHIN = 45.0
QUICK = {"FLEET_POLL_INTERVAL": "0.5", "FLEET_DETECT_LOCAL_OLLAMA": "false"}
opener = build_opener(ProxyHandler({}))  # no proxy is asked for this machine
numbers = count()

RouterFactory = Callable[..., "Router"]


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(condition: Callable[[], object], within: float = 10.0, every: float = 0.02) -> None:
    """Return as soon as the condition holds; AssertionError if it does not in time."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"not within {within} s"
        time.sleep(every)


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment that says nothing of how this machine's own router is set up."""
    return {name: value for name, value in environ.items() if not name.startswith("FLEET_") and name != "DATABASE_URL"}


for name in os.environ.keys() - without_settings(os.environ).keys():
    del os.environ[name]


class Router:
    """`manage.py serve` in a process of its own; ready when it is made, unless `ready` is False."""

    def __init__(self, data: Path, *options: str, ready: bool = True, **env: str) -> None:
        self.data = data
        self.env = without_settings(os.environ) | QUICK | env
        number = next(numbers)  # several servers may have one data directory, after another
        self.log = data.parent / f"{data.name}-{number}.stderr"
        self.out = data.parent / f"{data.name}-{number}.stdout"
        with self.log.open("wb") as stderr, self.out.open("wb") as stdout:
            command = self.command("serve", "--port", "0", *options)
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=stdout, stderr=stderr)
        if ready:
            self._wait()

    @property
    def url(self) -> str:
        """What the ready line says."""
        return self.stdout.removeprefix("ready ").strip()

    @property
    def stdout(self) -> str:
        """Everything it printed."""
        return self.out.read_text()

    @property
    def stderr(self) -> str:
        """Everything it said on stderr, log included."""
        return self.log.read_text()

    @property
    def token(self) -> str:
        """The local control token."""
        return str(json.loads((self.data / "server.json").read_text())["token"])

    def get(self, path: str) -> object:
        """The JSON of a GET, with the control token."""
        request = Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with opener.open(request, timeout=10) as answer:
            return json.load(answer)

    def manage(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """One command on the router's data directory; `check`: it must succeed."""
        run = subprocess.run(self.command(*words), cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=60)
        assert not check or run.returncode == 0, run.stderr
        return run

    def command(self, *words: str) -> list[str]:
        """A command on its data directory, as words."""
        return [sys.executable, "manage.py", *words, "--data-dir", str(self.data)]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(STOP_WITHIN)

    def end(self) -> None:
        """Nothing of it is left, whatever the test did."""
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def _wait(self) -> None:
        try:
            until(lambda: self.stdout.endswith("\n") or self.process.poll() is not None, READY_WITHIN)
        finally:
            if not self.stdout.startswith("ready "):
                self.end()
                pytest.fail(f"the router did not get ready:\n{self.stderr}")


@contextmanager
def routers(folder: Path) -> Iterator[RouterFactory]:
    """Starts routers that live as long as the block, each with a data directory of its own unless one is given."""
    started: list[Router] = []

    def start(*options: str, data: Path | None = None, ready: bool = True, **env: str) -> Router:
        started.append(Router(data or folder / f"data{len(started)}", *options, ready=ready, **env))
        return started[-1]

    try:
        yield start
    finally:
        for one in started:
            one.end()


@pytest.fixture
def router(tmp_path: Path) -> Iterator[RouterFactory]:
    """Starts routers that live as long as the test: `router("--host", "0.0.0.0", FLEET_API_KEY="k").url`."""
    with routers(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def module_router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """One router for all tests of a module that only ask it."""
    with routers(tmp_path_factory.mktemp("routers")) as start:
        yield start()
