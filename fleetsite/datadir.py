"""Where all state lives: `--data-dir` of any command, else `FLEET_DATA_DIR`, else `./data`."""

import fcntl
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

VARIABLE = "FLEET_DATA_DIR"
OPTION = "--data-dir"
SECRET_FILE = "SECRET_KEY"
LOCK_FILE = "lock"
SECRET_VARIABLE = "FLEET_SECRET_KEY"


class Unusable(Exception):
    """A data directory or a database that can't be used; the message says why, and what to do."""


def data_dir() -> Path:
    """The data directory, absolute; it may not exist yet."""
    return Path(os.environ.get(VARIABLE) or "data").expanduser().resolve()


def take_option(argv: Sequence[str]) -> list[str]:
    """The arguments without `--data-dir DIR`, which is in the environment from now on: settings are made from it."""
    kept, rest = [], iter(argv)
    for word in rest:
        given = next(rest, None) if word == OPTION else word.removeprefix(f"{OPTION}=")
        if given == word:
            kept.append(word)
        elif given:
            os.environ[VARIABLE] = given
        else:
            raise SystemExit(f"{OPTION} needs a directory.")
    return kept


def make(directory: Path) -> None:
    """The directory, there and (if it is new) ours alone; raises Unusable."""
    with usable(directory):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def secret_key(directory: Path) -> str:
    """The server's secret: `FLEET_SECRET_KEY`, else the one kept here, else a new one that is not kept yet."""
    return os.environ.get(SECRET_VARIABLE) or kept_secret(directory) or secrets.token_urlsafe(48)


def kept_secret(directory: Path) -> str:
    """The secret in this data directory; empty if there is none. Raises Unusable."""
    with usable(directory), suppress(FileNotFoundError):
        return (directory / SECRET_FILE).read_text().strip()
    return ""


def keep_secret(directory: Path, value: str) -> None:
    """Keep the secret, unless one is kept already or the environment gives it."""
    if not (kept_secret(directory) or os.environ.get(SECRET_VARIABLE)):
        (directory / SECRET_FILE).unlink(missing_ok=True)
        write_private(directory / SECRET_FILE, value + "\n")


@contextmanager
def usable(directory: Path) -> Iterator[None]:
    """What the system refuses in the block is said as Unusable."""
    try:
        yield
    except OSError as error:
        remedy = "Give a directory that this user may read and write, as --data-dir or FLEET_DATA_DIR."
        raise Unusable(f"{directory} can't be the data directory: {error.strerror}. {remedy}") from error


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """One process at a time is in this block; the others wait. Raises Unusable."""
    with usable(directory):
        lock = os.open(directory / LOCK_FILE, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_private(path: Path, text: str) -> None:
    """A new file that only we can read; FileExistsError if it is there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
