"""What a name that a client uses stands for: a model of that very name, else an operator's alias."""

import orjson

from nodes.core.names import normal
from nodes.fleet import get_fleet
from nodes.lib.live import current
from routing.core.aliases import Alias, Aliases
from routing.protocols.fields import parsed, take


def alias_of(name: str) -> Alias | None:
    """The alias of that name, unless an approved node has a model that is called so: a real model wins."""
    model = normal(name)
    alias = current(Aliases).by_name.get(model)
    if alias is None or any(n.enrolment == "approved" and n.has(model) for n in get_fleet().snapshot().nodes):
        return None
    return alias


def model_of(name: str) -> str:
    """The model in normal form that a name stands for."""
    alias = alias_of(name)
    return alias.target if alias else normal(name)


def models_of(name: str, fallbacks: tuple[str, ...]) -> tuple[str, ...]:
    """The models that may answer, each once; the client's own fallbacks stand in place of an alias's."""
    alias = alias_of(name)
    if alias is not None and not fallbacks:
        return tuple(dict.fromkeys(alias.models))
    return tuple(dict.fromkeys(model_of(one) for one in (name, *fallbacks)))


def with_real_name(body: bytes) -> bytes:
    """A body that asks about a model; an alias in it is replaced by the model that it stands for."""
    content = parsed(body)
    name = take(content, "model", str, "") or take(content, "name", str, "")
    alias = alias_of(name) if name else None
    return orjson.dumps({**content, "model": alias.target}) if alias else body
