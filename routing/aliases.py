"""Aliases of models: made, changed, deleted; and all of them as the data plane holds them."""

from collections.abc import Iterable, Mapping

from django.db import transaction

from nodes.changes import bump
from nodes.core.names import DEFAULT_TAG, normal
from routing.core.aliases import Alias, Aliases
from routing.models import ModelAlias

LONGEST = 255


class AliasProblem(ValueError):
    """An alias that can't be; the message says why and what to do."""


class NoSuchAlias(AliasProblem):
    """An alias that there is not; the message names those there are."""


def load() -> Aliases:
    """Every alias."""
    return Aliases({normal(a.name): Alias(a.name, a.target, tuple(a.fallbacks)) for a in ModelAlias.objects.all()})


@transaction.atomic
def save(row: ModelAlias) -> ModelAlias:
    """Keep a new or changed alias, its names in their one form. Raises AliasProblem."""
    row.name = _free_name(row)
    row.target = _model(row.target, row)
    row.fallbacks = list(dict.fromkeys(_model(model, row) for model in row.fallbacks if model.strip()))
    row.save()
    bump()
    return row


@transaction.atomic
def change(name: str, values: Mapping[str, object]) -> ModelAlias:
    """The alias with some of its fields set anew. Raises AliasProblem."""
    row = find(name)
    for field, value in values.items():
        setattr(row, field, value)
    return save(row)


@transaction.atomic
def remove(rows: Iterable[ModelAlias]) -> None:
    """From now on these names stand for nothing."""
    ModelAlias.objects.filter(pk__in=[row.pk for row in rows]).delete()
    bump()


def find(name: str) -> ModelAlias:
    """The alias of that name; NoSuchAlias names those there are."""
    row = ModelAlias.objects.filter(name=_short(name)).first()
    if row is None:
        known = ", ".join(ModelAlias.objects.values_list("name", flat=True)) or "none"
        raise NoSuchAlias(f"There is no alias {name!r}. Aliases: {known}.")
    return row


def checked(row: ModelAlias) -> None:
    """Raises AliasProblem for an alias that can't be kept."""
    _free_name(row)
    for model in (row.target, *row.fallbacks):
        _model(model, row)


def _short(name: str) -> str:
    """A name's one form; the default tag is left out, as clients write it."""
    return normal(name).removesuffix(f":{DEFAULT_TAG}")


def _free_name(row: ModelAlias) -> str:
    name = _well_formed(row.name)
    others = ModelAlias.objects.exclude(pk=row.pk)
    if others.filter(name=_short(name)).exists():
        raise AliasProblem(f"There is an alias {_short(name)!r} already: change it, or choose another name.")
    if any(normal(name) in (other.target, *other.fallbacks) for other in others):
        raise AliasProblem(f"Another alias stands for {_short(name)!r}: an alias can't stand for an alias.")
    return _short(name)


def _model(model: str, row: ModelAlias) -> str:
    named = normal(_well_formed(model))
    if named == normal(row.name) or ModelAlias.objects.exclude(pk=row.pk).filter(name=_short(named)).exists():
        raise AliasProblem(f"{model!r} is an alias: name the model itself.")
    return named


def _well_formed(name: str) -> str:
    if not name.strip() or len(normal(name)) > LONGEST or not name.isprintable():
        raise AliasProblem(f"{name!r} can't be a model's name: give 1 to {LONGEST} printable characters.")
    return name
