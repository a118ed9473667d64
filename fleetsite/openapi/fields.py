"""The kinds of fields that the control API's answers are made of."""

from functools import lru_cache
from typing import Any

from drf_spectacular.utils import extend_schema_field, inline_serializer
from rest_framework import serializers as s


@lru_cache
def page_of(row: type[s.Serializer[Any]]) -> s.Serializer[Any]:
    """A list of these rows."""
    name = row.__name__
    fields = {"results": row(many=True), "next": s.URLField(allow_null=True, help_text="The rows that follow.")}
    return inline_serializer(f"{name}Page", fields)


def number(help_text: str = "") -> s.FloatField:
    """A number, null where it is not known."""
    return s.FloatField(allow_null=True, help_text=help_text)


def whole(help_text: str = "") -> s.IntegerField:
    """A whole number, null where it is not known."""
    return s.IntegerField(allow_null=True, help_text=help_text)


def text(help_text: str = "") -> s.CharField:
    """A text, null where there is none."""
    return s.CharField(allow_null=True, help_text=help_text)


def time(help_text: str = "") -> s.DateTimeField:
    """A time, null where it is not known."""
    return s.DateTimeField(allow_null=True, help_text=help_text)


@extend_schema_field({"type": ["number", "boolean", "string"]})
class Value(s.JSONField):
    """The value of a parameter."""


@extend_schema_field({"type": ["number", "boolean", "string", "null"]})
class NoValue(s.JSONField):
    """The value of a parameter, null where this source is silent."""
