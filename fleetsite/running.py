"""How a command talks to the server that runs on its data directory."""

import json
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

from fleetsite import serverfile

TIMEOUT = 2.0  # seconds
opener = build_opener(ProxyHandler({}))  # the server is on this machine: no proxy is asked


class RouterNotRunning(Exception):
    """No server runs on this data directory, or it does not answer."""

    def __init__(self, why: str) -> None:
        super().__init__(f"router not running ({why})")


def ask(directory: Path, path: str) -> Any:
    """The answer of `GET /fleet/api/v1/PATH` of the running server; raises RouterNotRunning."""
    server = serverfile.read(directory)
    if server is None:
        raise RouterNotRunning(f"no server uses {directory}")
    request = Request(f"{server.url}/fleet/api/v1/{path}", headers={"Authorization": f"Bearer {server.token}"})
    try:
        with opener.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)
    except (OSError, ValueError, HTTPException) as error:
        raise RouterNotRunning(f"process {server.pid} at {server.url} does not answer: {error}") from error
