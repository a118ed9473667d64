"""A control API to ask, from this machine, with and without the right to change."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from rest_framework.test import APIClient

from fleetsite import serverfile
from nodes.fleet import use_fleet
from nodes.lib.control import ControlToken
from nodes.lib.live import install
from tests.fleetsite.servers import Answering, answering

TOKEN = "control-token"


@pytest.fixture(autouse=True)
def _process() -> Iterator[None]:
    """A process with a control token and no fleet."""
    install(ControlToken(TOKEN))
    use_fleet(None)
    yield
    install(ControlToken())
    use_fleet(None)


@pytest.fixture
def reader() -> APIClient:
    """Somebody on this machine."""
    return APIClient(HTTP_HOST="localhost")


@pytest.fixture
def operator() -> APIClient:
    """Who holds the control token."""
    return APIClient(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[[Mapping[str, list[object]]], Answering]]:
    """Starts a server of this test's data directory that answers as it is told."""
    with ExitStack() as stack:

        def start(answers: Mapping[str, list[object]]) -> Answering:
            server = stack.enter_context(answering(answers))
            serverfile.claim(tmp_path, server.url, "token")
            return server

        yield start
