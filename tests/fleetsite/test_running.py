from collections.abc import Callable
from pathlib import Path

import pytest

from fleetsite import serverfile
from fleetsite.running import RouterNotRunning, ask
from tests.fleetsite.servers import Answering


def test_a_running_server_is_asked_with_its_token(tmp_path: Path, serving: Callable[..., Answering]) -> None:
    server = serving({"nodes": [{"results": []}]})
    assert ask(tmp_path, "nodes") == {"results": []}
    assert server.tokens == ["Bearer token"]


def test_without_a_server_file_no_router_runs(tmp_path: Path) -> None:
    with pytest.raises(RouterNotRunning, match="router not running"):
        ask(tmp_path, "nodes")


def test_a_server_that_answers_nonsense_does_not_run(tmp_path: Path, serving: Callable[..., Answering]) -> None:
    serving({"nodes": ["<html>"]})
    with pytest.raises(RouterNotRunning, match="does not answer"):
        ask(tmp_path, "queues")


def test_a_port_where_nobody_listens_is_no_router(tmp_path: Path) -> None:
    serverfile.claim(tmp_path, "http://127.0.0.1:9", "token")
    with pytest.raises(RouterNotRunning, match=r"127\.0\.0\.1:9 does not answer"):
        ask(tmp_path, "nodes")
