"""`server.json`: where the running server is, so that commands can talk to it; and that there is only one."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from fleetsite.datadir import write_private

FILE = "server.json"


class AlreadyRunning(Exception):
    """Another server lives in this data directory; the message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class ServerFile:
    """What a command needs to talk to the server of its data directory."""

    url: str
    pid: int
    token: str


def read(directory: Path) -> ServerFile | None:
    """The server that runs in this data directory; None if there is none."""
    try:
        found = ServerFile(**json.loads((directory / FILE).read_text()))
        return found if _lives(found.pid, (directory / FILE).stat().st_mtime) else None
    except (FileNotFoundError, ValueError, TypeError):
        return None


def refuse_second(directory: Path) -> None:
    """AlreadyRunning if a server lives in this data directory."""
    other = read(directory)
    if other:
        raise AlreadyRunning(
            f"A server with this data directory runs already: {other.url}, process {other.pid}. "
            "Stop it first, or give this one another --data-dir."
        )


def claim(directory: Path, url: str, token: str) -> None:
    """From now on this process is the server of this data directory; AlreadyRunning if another is."""
    refuse_second(directory)
    (directory / FILE).unlink(missing_ok=True)
    try:
        write_private(directory / FILE, json.dumps(asdict(ServerFile(url, os.getpid(), token))) + "\n")
    except FileExistsError as error:
        raise AlreadyRunning("Another server with this data directory started at the same moment.") from error


def drop(directory: Path) -> None:
    """No server any more; leaves a file alone that another process wrote."""
    found = read(directory)
    if found and found.pid == os.getpid():
        (directory / FILE).unlink(missing_ok=True)


def _lives(pid: int, written: float) -> bool:
    """Is the process that wrote the file alive? A younger one with the same number is another; a zombie is dead."""
    try:
        process = psutil.Process(pid)
        began: float = process.create_time()
        return began <= written + 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
