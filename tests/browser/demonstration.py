"""`manage.py demo` in a process of its own, as a test sees it."""

import json
import os
import signal
import subprocess
import sys
from email.message import Message
from itertools import count
from pathlib import Path
from typing import Any
from urllib.request import Request

import psutil
import pytest

from tests.conftest import READY_WITHIN, ROOT, STOP_WITHIN, opener, until

UNTOUCHED = "phi4:14b"  # the model that the demonstration's own traffic leaves alone
numbers = count()


class Demonstration:
    """A demonstration that plays; everything that it writes is below `folder`."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.out, self.err = folder / "demo.stdout", folder / "demo.stderr"
        env = {k: v for k, v in os.environ.items() if not k.startswith("FLEET_")} | {"TMPDIR": str(folder)}
        with self.out.open("wb") as stdout, self.err.open("wb") as stderr:
            command = (sys.executable, "manage.py", "demo", "--port", "0", *options)
            self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=stdout, stderr=stderr)
        until(lambda: self.out.read_text().endswith("\n") or self.process.poll() is not None, READY_WITHIN)
        if self.process.poll() is not None:
            pytest.fail(f"the demonstration did not start:\n{self.log}")
        self.url = self.out.read_text().removeprefix("ready ").strip()

    @property
    def log(self) -> str:
        """Everything it said on stderr, the router's log included."""
        return self.err.read_text()

    @property
    def processes(self) -> list[psutil.Process]:
        """Every process of it that lives."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    @property
    def directories(self) -> list[Path]:
        """Its temporary directories."""
        return [path for path in self.folder.iterdir() if path.is_dir()]

    def look(self, what: str) -> Any:
        """A GET of the control API."""
        with opener.open(f"{self.url}/fleet/api/v1/{what}", timeout=10) as answer:
            return json.load(answer)

    def ask(self, model: str = UNTOUCHED) -> tuple[str, str]:
        """One short request, of no conversation that was before: the node that answered, and the decision's id."""
        body = {"model": model, "prompt": f"Hello {next(numbers)}", "stream": False, "options": {"num_predict": 1}}
        headers = _post(f"{self.url}/api/generate", body)
        return headers["X-Fleet-Node"], headers["X-Fleet-Decision"]

    def warm(self, *names: str, model: str = UNTOUCHED) -> None:
        """Have these nodes load a model and keep it; return once the router knows."""
        for row in self.look("nodes")["results"]:
            if row["name"] in names:
                _post(f"{row['url']}/api/generate", {"model": model, "keep_alive": "10m"})
        until(lambda: set(names) <= {row["name"] for row in self.look("nodes")["results"] if _has(row, model)})

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(STOP_WITHIN)


def _post(url: str, body: dict[str, Any]) -> Message:
    """The headers of the answer."""
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with opener.open(request, timeout=30) as answer:
        headers: Message = answer.headers
        return headers


def _has(row: dict[str, Any], model: str) -> bool:
    return any(resident["name"] == model for resident in row["resident"])
