import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nodes.simulated.__main__ import main


@contextmanager
def process(*options: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A simulated node as a process, and its URL."""
    command = [sys.executable, "-m", "nodes.simulated", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            yield child, child.stdout.readline().removeprefix("ready ").strip()
        finally:
            child.kill()


def test_a_process_says_where_it_is_ready_and_ends_on_sigterm():
    with process("--models", "qwen2.5:7b=4.7,phi4=9.1", "--load-gbps", "0") as (child, url):
        with urllib.request.urlopen(f"{url}/api/tags", timeout=10) as answer:
            names = [model["name"] for model in json.load(answer)["models"]]
        child.send_signal(signal.SIGTERM)
        assert (names, child.wait(10)) == (["phi4:latest", "qwen2.5:7b"], 0)


def test_a_process_can_be_an_openai_engine():
    with process("--engine", "openai", "--models", "m=0.001") as (_, url):
        with urllib.request.urlopen(f"{url}/v1/models", timeout=10) as answer:
            assert json.load(answer)["data"][0]["owned_by"] == "llamacpp"


def test_models_that_can_not_be_read_end_it_with_the_reason(capsys: pytest.CaptureFixture[str]):
    assert main(["--models", "qwen"]) == 2
    assert "'qwen' is no model: write NAME=GB" in capsys.readouterr().err
