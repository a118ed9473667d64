"""`server.json`: one server a data directory."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fleetsite import serverfile
from fleetsite.serverfile import AlreadyRunning, ServerFile


def test_what_was_claimed_is_read(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "http://127.0.0.1:1", "t")
    assert serverfile.read(tmp_path) == ServerFile("http://127.0.0.1:1", os.getpid(), "t")


def test_only_we_can_read_it(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "http://127.0.0.1:1", "t")
    assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600


def test_a_second_claim_is_refused_with_the_address_of_the_first(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "http://127.0.0.1:1", "t")
    with pytest.raises(AlreadyRunning, match=r"http://127\.0\.0\.1:1"):
        serverfile.claim(tmp_path, "http://127.0.0.1:2", "u")


def test_the_file_of_a_dead_process_is_no_server(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / "server.json").write_text(json.dumps({"url": "u", "pid": dead.pid, "token": "t"}))
    assert serverfile.read(tmp_path) is None


def test_the_file_of_a_dead_process_that_nobody_has_reaped_is_no_server(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
    (tmp_path / "server.json").write_text(json.dumps({"url": "u", "pid": dead.pid, "token": "t"}))
    found = serverfile.read(tmp_path)
    dead.wait()
    assert found is None


def test_a_younger_process_with_the_same_number_is_no_server(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "u", "t")
    long_ago = time.time() - 10 * 365 * 86400
    os.utime(tmp_path / "server.json", (long_ago, long_ago))
    assert serverfile.read(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 1}', "null"])
def test_a_broken_file_is_no_server(text: str, tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(text)
    assert serverfile.read(tmp_path) is None


def test_a_stale_file_can_be_claimed(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text("{")
    serverfile.claim(tmp_path, "u", "t")
    assert serverfile.read(tmp_path) is not None


def test_a_dropped_file_is_gone(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "u", "t")
    serverfile.drop(tmp_path)
    assert not (tmp_path / "server.json").exists()


def test_another_processs_file_is_not_dropped(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(json.dumps({"url": "u", "pid": os.getppid(), "token": "t"}))
    serverfile.drop(tmp_path)
    assert (tmp_path / "server.json").exists()
