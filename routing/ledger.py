"""The table of decisions, written: one statement a batch, made from the model. For the database thread."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from django.db import DataError, IntegrityError, connection, models, transaction

from nodes.fleet.owner import OWNER
from routing.models import RoutingDecision
from routing.notebook import Row, packed
from routing.presenters import moment

log = logging.getLogger(__name__)
Values = tuple[Any, ...]
# A row the table will never take, however often it is tried.
HOPELESS = (DataError, IntegrityError, ValueError, TypeError, OverflowError)
BIGGEST = 2**31 - 1
CLOSED = "The router stopped before this request ended."


def write(rows: Sequence[Row]) -> int:
    """Insert or complete decisions in one transaction; how many the table would not take. Raises DatabaseError."""
    try:
        _upsert([_values(row) for row in rows])
    except HOPELESS:
        return sum(not _alone(row) for row in rows)
    return 0


def interrupt(owner: str = OWNER) -> int:
    """Mark what other processes left without outcome as interrupted; how many there were."""
    left = RoutingDecision.objects.filter(outcome=None).exclude(process=owner)
    return left.update(outcome="interrupted", reason=CLOSED)


def _alone(row: Row) -> bool:
    try:
        _upsert([_values(row)])
    except HOPELESS as error:
        log.error("decision %s can't be recorded and is lost: %s", row.get("id"), error)
        return False
    return True


def _upsert(values: Sequence[Values]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(_statement(), values)


def _values(row: Row) -> Values:
    return tuple(convert(row.get(name, default)) for name, convert, default in _columns())


@cache
def _statement() -> str:
    """INSERT … ON CONFLICT(id) DO UPDATE, in the words that SQLite and PostgreSQL share."""
    quote = connection.ops.quote_name
    columns = [quote(str(field.column)) for field in RoutingDecision._meta.concrete_fields]
    updates = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
    return (
        f"INSERT INTO {quote(RoutingDecision._meta.db_table)} ({', '.join(columns)}) "
        f"VALUES ({', '.join(['%s'] * len(columns))}) ON CONFLICT ({columns[0]}) DO UPDATE SET {updates}"
    )


@cache
def _columns() -> tuple[tuple[str, Callable[[Any], object], object], ...]:
    defaults: Mapping[str, object] = {"process": OWNER}
    fields = RoutingDecision._meta.concrete_fields
    return tuple((f.name, _converter(f), defaults.get(f.name, f.get_default())) for f in fields)


def _converter(field: "models.Field[Any, Any]") -> Callable[[Any], object]:
    return next((make(field) for kind, make in CONVERTERS.items() if isinstance(field, kind)), _as_it_is)


def _as_it_is(value: object) -> object:
    return value


def _time(_: object) -> Callable[[object], object]:
    return lambda value: connection.ops.adapt_datetimefield_value(moment(value))


def _json(_: object) -> Callable[[object], object]:
    return lambda value: (value if isinstance(value, bytes) else packed(value)).decode()


def _text(field: "models.Field[Any, Any]") -> Callable[[object], object]:
    """Clients choose some of these texts: what no database takes is replaced, what is too long is cut."""
    most, nullable = field.max_length, field.null

    def convert(value: object) -> object:
        if value is None:
            return None if nullable else ""
        text = str(value)[:most]
        return text if text.isprintable() else text.encode(errors="replace").decode().replace("\0", "\ufffd")

    return convert


def _whole(_: object) -> Callable[[int | None], object]:
    """A count no column holds is not known."""
    return lambda value: value if value is None or abs(value) <= BIGGEST else None


CONVERTERS: Mapping[type, Callable[[Any], Callable[[Any], object]]] = {
    models.DateTimeField: _time,
    models.JSONField: _json,
    models.CharField: _text,
    models.TextField: _text,
    models.IntegerField: _whole,
}
