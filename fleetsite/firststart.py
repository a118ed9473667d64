"""What a first start makes: the admin, an enrolment token, an API key, and the node beside us."""

import logging
import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from fleetsite.datadir import write_private
from nodes import roster
from nodes.detect import local_ollama
from nodes.lib.background import behind
from nodes.lib.digest import digest, new_secret
from nodes.models import EnrolmentToken
from routing.models import ApiKey

log = logging.getLogger(__name__)

FILE = "first-start.txt"
NAME = "first start"  # of the token and the key
ADMIN = "admin"
LOCAL = "local"
LEAST_SECRET = 16  # characters of a key or token


@dataclass(frozen=True, slots=True)
class Grant:
    """A credential of the first start: what it is called, which variable sets it, how it is made up and made,
    and what is weak about one that an operator chose (empty: nothing)."""

    label: str
    variable: str
    fresh: Callable[[], str]
    make: Callable[[str], object]
    weakness: Callable[[str], str]


def is_first() -> bool:
    """Has nobody started a server on this database before?"""
    return not get_user_model().objects.exists()


@transaction.atomic
def make_credentials(loopback: bool) -> list[str]:
    """Make what is missing; a line for each, with its secret unless the environment gave it."""
    first = is_first()
    needs_key = not loopback or (first and bool(os.environ.get(API_KEY.variable)))
    wanted = [*([USER, TOKEN] if first else []), *([API_KEY] if needs_key and not ApiKey.objects.exists() else [])]
    return [f"admin user: {ADMIN}"] * first + [_made(grant) for grant in wanted]


def write_down(directory: Path, lines: Iterable[str]) -> Path:
    """Keep the lines, after any that are kept already, where only we can read them."""
    path = directory / FILE
    kept = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    write_private(path, kept + "".join(f"{line}\n" for line in lines))
    return path


async def add_local_node() -> None:
    """Take in the Ollama on this machine, if one answers."""
    url = await local_ollama()
    if url:
        try:
            await behind(roster.add, LOCAL, url)
            log.info("found an Ollama on this machine and added it as node %r, %s", LOCAL, url)
        except roster.RosterError as error:
            log.info("found an Ollama on this machine, not added: %s", error)


def _made(grant: Grant) -> str:
    given = os.environ.get(grant.variable, "")
    secret = given or grant.fresh()
    if given and (weakness := grant.weakness(given)):
        log.warning("%s is weak: %s", grant.variable, weakness)
    grant.make(secret)
    return f"{grant.label}: " + (f"as {grant.variable} says" if given else secret)


def _weak_password(password: str) -> str:
    try:
        validate_password(password, get_user_model()(username=ADMIN))
    except ValidationError as error:
        return f"{' '.join(error.messages)} Change it in the admin."
    return ""


def _weak_secret(secret: str) -> str:
    """What no human types may be long."""
    return f"it has fewer than {LEAST_SECRET} characters. Make another." if len(secret) < LEAST_SECRET else ""


USER = Grant(
    "admin password",
    "FLEET_ADMIN_PASSWORD",
    lambda: secrets.token_urlsafe(15),
    lambda password: get_user_model().objects.create_superuser(ADMIN, password=password),
    _weak_password,
)
TOKEN = Grant(
    "enrolment token",
    "FLEET_ENROLMENT_TOKEN",
    lambda: new_secret("fe"),
    lambda secret: EnrolmentToken.objects.create(name=NAME, digest=digest(secret)),
    _weak_secret,
)
API_KEY = Grant(
    "API key",
    "FLEET_API_KEY",
    lambda: new_secret("fl"),
    lambda secret: ApiKey.objects.create(name=NAME, digest=digest(secret), prefix=secret[:8]),
    _weak_secret,
)
