"""What operators do with nodes, for commands, admin and API alike; servers follow within two seconds."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from nodes.changes import bump
from nodes.core.urls import BadUrl, engine_url
from nodes.lib.digest import digest, new_secret
from nodes.models import Node
from nodes.validators import node_name, positive

Numbers = Mapping[str, float | int | None]
Fields = Mapping[str, Any]

ACTIONS: Mapping[str, Mapping[str, object]] = {
    "approve": {"enrolment": "approved"},
    "pause": {"paused": True},
    "resume": {"paused": False, "draining": False},
    "drain": {"draining": True},
}


class RosterError(ValueError):
    """A change that can't be made; the message says why and what to do instead."""


class NoSuchNode(RosterError):
    """A node that there is not; the message names those there are."""


@transaction.atomic
def add(name: str, url: str, engine: str = "ollama", numbers: Numbers = MappingProxyType({}), note: str = "") -> Node:
    """A new, approved node; `numbers` are memory_gb, bandwidth_gbps and parallel. Raises RosterError."""
    node = Node(id=new_id(name), name=_new_name(name), url=_new_url(url), engine=_engine(engine), note=note)
    for field, value in numbers.items():
        setattr(node, field, _positive(field, value))
    node.save(force_insert=True)
    bump()
    return node


@transaction.atomic
def change(name: str, fields: Fields) -> Node:
    """The node with some of CHECKS' fields set anew, each checked as `add` checks it. Raises RosterError."""
    node = find(name)
    for field, value in fields.items():
        setattr(node, field, CHECKS[field](value, node.id))
    node.save(update_fields=[*fields])
    bump()
    return node


def act(name: str, action: str) -> Node:
    """One of ACTIONS on the node of that name; raises RosterError."""
    act_on([find(name).id], action)
    return find(name)


@transaction.atomic
def act_on(ids: Iterable[str], action: str) -> int:
    """One of ACTIONS on several nodes; how many there were."""
    done = Node.objects.filter(id__in=list(ids)).update(**ACTIONS[action])
    bump()
    return done


@transaction.atomic
def remove(name: str) -> None:
    """Forget a node; raises RosterError."""
    find(name).delete()
    bump()


@transaction.atomic
def new_credential(name: str) -> str:
    """A new credential for the agent of a node, in place of any other; shown now or never. Raises RosterError."""
    secret = new_secret("fn")
    Node.objects.filter(id=find(name).id).update(credential=digest(secret))
    bump()
    return secret


def find(name: str) -> Node:
    """The node of that name; RosterError names those there are."""
    node = Node.objects.filter(name=name).first() or Node.objects.filter(id=name).first()
    if node is None:
        known = ", ".join(Node.objects.values_list("name", flat=True)) or "none yet: add one with `node add NAME URL`"
        raise NoSuchNode(f"There is no node {name!r}. Known nodes: {known}.")
    return node


def new_id(name: str) -> str:
    """An id made from a name, kept for ever: `Mac Studio` → `mac-studio`, or `mac-studio-2` if that is taken."""
    base = slugify(name)[:56] or "node"
    taken = set(Node.objects.filter(id__startswith=base).values_list("id", flat=True))
    others = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return next(free for free in (base, *others) if free not in taken)


def _new_name(name: str, own_id: str = "") -> str:
    try:
        node_name(name)
    except ValidationError as error:
        raise RosterError(error.message) from error
    if Node.objects.filter(name=name).exclude(id=own_id).exists():
        raise RosterError(f"There is a node {name!r} already. Choose another name, or remove that one first.")
    return name


def _new_url(url: str, own_id: str = "") -> str:
    try:
        address = engine_url(url)
    except BadUrl as error:
        raise RosterError(f"{error}.") from error
    other = Node.objects.filter(url=address).exclude(id=own_id).first()
    if other is not None:
        raise RosterError(f"{address} is node {other.name!r} already. Remove that one first to add it anew.")
    return address


def _engine(engine: str) -> str:
    if engine not in Node.ENGINES:
        raise RosterError(f"{engine!r} is no kind of engine: choose {' or '.join(Node.ENGINES)}.")
    return engine


def _positive(field: str, value: float | int | None) -> float | int | None:
    try:
        if value is not None:
            positive(value)
    except ValidationError as error:
        raise RosterError(f"--{field.replace('_', '-')} {error.message}") from error
    return value


CHECKS: Mapping[str, Callable[[Any, str], object]] = {
    "name": _new_name,
    "url": _new_url,
    "engine": lambda engine, own_id: _engine(engine),
    "memory_gb": lambda value, own_id: _positive("memory_gb", value),
    "bandwidth_gbps": lambda value, own_id: _positive("bandwidth_gbps", value),
    "parallel": lambda value, own_id: _positive("parallel", value),
    "note": lambda note, own_id: note,
}
