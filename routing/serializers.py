"""What the API of routing is asked and told."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from nodes.core.names import normal
from nodes.lib.strict import Strict
from routing import keys
from routing.decisions import RUNNING, Place, Wanted
from routing.models import RoutingDecision

LARGEST = 2**31 - 1  # what the database's integer holds


class Moment(serializers.Field[datetime, str, datetime, Any]):
    """A point in time: ISO 8601 (UTC unless it says otherwise) or epoch seconds."""

    def to_internal_value(self, data: str) -> datetime:
        try:
            return _moment(data.strip())
        except (ValueError, OverflowError, OSError) as error:
            raise serializers.ValidationError("Give ISO 8601 or epoch seconds.") from error


class PlaceField(serializers.Field[Place, str, str, Any]):
    """Where the page before ended."""

    def to_internal_value(self, data: str) -> Place:
        try:
            return Place.parse(data)
        except (ValueError, OverflowError) as error:
            raise serializers.ValidationError("Take it from `next` of another page.") from error


class DecisionQuery(Strict):
    """The parameters of `GET decisions`."""

    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100)
    since = Moment(required=False)
    before = PlaceField(required=False)
    node = serializers.CharField(required=False)
    model = serializers.CharField(required=False)
    outcome = serializers.ChoiceField([*RoutingDecision.OUTCOMES, (RUNNING, RUNNING)], required=False)
    key = serializers.CharField(required=False)
    tag = serializers.CharField(required=False)

    def wanted(self) -> Wanted:
        """What was asked for; ValidationError (400) names each parameter that is wrong."""
        return Wanted(**self.checked())


class QueueQuery(Strict):
    """The parameters of `GET queues` and `GET latency`."""

    node = serializers.CharField(required=False)
    model = serializers.CharField(required=False)

    def matching(self, rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The rows that have what was asked for; ValidationError (400) names each parameter that is wrong."""
        wanted = self.checked()
        if "model" in wanted:
            wanted["model"] = normal(wanted["model"])
        return [row for row in rows if wanted.items() <= row.items()]


class KeyForm(Strict):
    """An API key as `POST keys` makes it."""

    name = serializers.CharField(max_length=64, help_text="A decision names the key it came with.")
    models = serializers.ListField(
        child=serializers.CharField(max_length=255),
        required=False,
        max_length=1000,
        help_text="Only these; empty: all.",
    )
    pull = serializers.BooleanField(default=False, help_text="May have models pulled that no node has.")
    rpm = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=LARGEST, help_text="Requests a minute, at most."
    )
    max_in_flight = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=LARGEST, help_text="Requests at once, at most."
    )
    expires = serializers.CharField(
        required=False, allow_null=True, max_length=16, help_text="In force for so long: 30d, 12h or 90m."
    )

    def create_key(self) -> str:
        """The new key's secret; ValidationError or KeyProblem says what is wrong."""
        wanted = self.checked()
        expires = wanted.pop("expires", None)
        return keys.create(**wanted, expires_at=timezone.now() + keys.duration(expires) if expires else None)


class AliasForm(Strict):
    """An alias as `POST aliases` makes it and `PATCH aliases/NAME` changes it."""

    name = serializers.CharField(max_length=255, help_text="What clients ask for.")
    target = serializers.CharField(max_length=255, help_text="The model that answers.")
    fallbacks = serializers.ListField(
        child=serializers.CharField(max_length=255),
        required=False,
        max_length=100,
        help_text="Taken instead, in this order, unless a client names its own.",
    )


def _moment(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except ValueError:
        # In a URL, the plus of a time zone arrives as a space.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
