"""API keys: made, listed, revoked; and all of them as the data plane holds them."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from nodes.changes import bump
from nodes.core.names import normal
from nodes.lib.digest import digest, new_secret
from routing.core.access import Key, Keys
from routing.models import ApiKey

PREFIX_SHOWN = 8
UNITS = {"d": "days", "h": "hours", "m": "minutes"}
LONGEST = timedelta(days=36500)


class KeyProblem(ValueError):
    """A key that can't be made or revoked; the message says why and what to do."""


class NoSuchKey(KeyProblem):
    """A key that there is not; the message names those in force."""


def load() -> Keys:
    """Every key that was not revoked."""
    return Keys({row.digest: _frozen(row) for row in ApiKey.objects.filter(revoked_at=None)})


@transaction.atomic
def create(
    name: str,
    *,
    models: Iterable[str] = (),
    pull: bool = False,
    rpm: int | None = None,
    max_in_flight: int | None = None,
    expires_at: datetime | None = None,
    secret: str | None = None,
) -> str:
    """The new key, which is kept nowhere; `secret` sets it instead of drawing one. Raises KeyProblem."""
    secret = secret or new_secret("fl")
    ApiKey.objects.create(
        name=new_name(name),
        digest=_new_digest(secret),
        prefix=secret[:PREFIX_SHOWN],
        models=model_names(models),
        pull=pull,
        rpm=rpm,
        max_in_flight=max_in_flight,
        expires_at=expires_at,
    )
    bump()
    return secret


@transaction.atomic
def save(row: ApiKey) -> None:
    """Keep what was changed in what a key may do."""
    row.save()
    bump()


@transaction.atomic
def revoke(name: str) -> ApiKey:
    """From now on the key of this name opens nothing; how it then is. Raises KeyProblem."""
    named = ApiKey.objects.filter(name=name.strip())
    row = named.filter(revoked_at=None).first()
    if row is None and named.exists():
        raise KeyProblem(f"The key {name!r} was revoked already.")
    if row is None:
        known = ", ".join(ApiKey.objects.filter(revoked_at=None).values_list("name", flat=True)) or "none"
        raise NoSuchKey(f"There is no key {name!r}. Keys in force: {known}.")
    revoke_all([row.pk])
    row.refresh_from_db()
    return row


@transaction.atomic
def revoke_all(ids: Iterable[int]) -> int:
    """Revoke several keys by row; how many were in force."""
    revoked = ApiKey.objects.filter(pk__in=list(ids), revoked_at=None).update(revoked_at=timezone.now())
    bump()
    return revoked


def new_name(name: str) -> str:
    """The name, if a new key can have it: none in force has; raises KeyProblem."""
    name = name.strip()
    if not name or len(name) > 64 or not name.isprintable():
        raise KeyProblem(f"{name!r} can't be a key's name: give 1 to 64 printable characters.")
    if ApiKey.objects.filter(name=name, revoked_at=None).exists():
        raise KeyProblem(f"There is a key {name!r} already: choose another name, or revoke that one first.")
    return name


def model_names(models: Iterable[str]) -> list[str]:
    """The models that a key is for, in their one form; blanks name none."""
    return sorted({normal(model) for model in models if model.strip()})


def duration(text: str) -> timedelta:
    """`30d`, `12h` or `90m` as a span of time; raises KeyProblem."""
    match = re.fullmatch(r"([0-9]{1,9})([dhm])", text.strip())
    span = timedelta(**{UNITS[match[2]]: int(match[1])}) if match else timedelta()
    if not timedelta() < span <= LONGEST:
        raise KeyProblem(f"{text!r} is no duration: give days, hours or minutes above 0, such as 30d, 12h or 90m.")
    return span


def _new_digest(secret: str) -> str:
    hashed = digest(secret)
    other = ApiKey.objects.filter(digest=hashed).first()
    if other:
        raise KeyProblem(f"This very key is in use as {other.name!r}: choose another.")
    return hashed


def _frozen(row: ApiKey) -> Key:
    return Key(
        name=row.name,
        models=frozenset(row.models),
        pull=row.pull,
        rpm=row.rpm,
        max_in_flight=row.max_in_flight,
        expires_at=row.expires_at.timestamp() if row.expires_at else None,
    )
