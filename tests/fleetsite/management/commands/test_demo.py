"""`manage.py demo` as a process: how it begins, and that it leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.demonstration import Demonstration
from tests.conftest import ROOT, until


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demonstration]:
    """One machine, at play; for tests that only look."""
    one = Demonstration(tmp_path_factory.mktemp("demo"), "--nodes", "1")
    yield one
    one.stop()


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Demonstration]:
    """One machine, at play; for a test that ends it."""
    one = Demonstration(tmp_path, "--nodes", "1")
    yield one
    one.stop()


def _refused(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "manage.py", "demo", *options)
    env = os.environ | {"TMPDIR": str(tmp_path)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


def test_it_knows_its_machines_when_it_is_ready(demo: Demonstration) -> None:
    [studio] = demo.look("nodes")["results"]
    assert (studio["name"], studio["state"], studio["bandwidth_gbps"]) == ("studio", "online", 800)


def test_it_says_what_to_look_at_and_how_to_sign_in(demo: Demonstration) -> None:
    until(lambda: "Sign in as admin, password demo;" in demo.log)
    assert f"{demo.url}/fleet/" in demo.log


def test_a_signal_ends_it_and_leaves_nothing_behind(mortal: Demonstration) -> None:
    processes = mortal.processes
    assert len(processes) == 2
    assert mortal.directories
    assert mortal.stop(signal.SIGINT) == 0
    assert not any(process.is_running() for process in processes)
    assert not mortal.directories


def test_a_router_that_dies_ends_it_with_an_error_and_nothing_left(mortal: Demonstration) -> None:
    mortal.processes[1].kill()
    assert mortal.process.wait(30) == 1
    assert "The router ended" in mortal.log
    assert not mortal.directories


def test_a_port_in_use_is_refused_with_the_routers_own_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = _refused(tmp_path, "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 1
    assert "Can't listen on" in refused.stderr
    assert "The router did not start" in refused.stderr
    assert not list(tmp_path.iterdir())


def test_no_machines_are_no_demonstration(tmp_path: Path) -> None:
    refused = _refused(tmp_path, "--nodes", "0")
    assert refused.returncode == 2
    assert "'0' is no number of machines: give 1 to 64" in refused.stderr


def test_where_others_can_reach_it_the_password_is_not_a_known_one(tmp_path: Path) -> None:
    open_to_all = Demonstration(tmp_path, "--nodes", "1", "--host", "0.0.0.0")
    try:
        until(lambda: "Sign in as admin" in open_to_all.log)
        assert "password demo;" not in open_to_all.log
    finally:
        open_to_all.stop()
