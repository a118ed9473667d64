"""What the API is asked."""

from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from routing.decisions import RUNNING, Place, Wanted
from routing.models import RoutingDecision


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


class DecisionQuery(serializers.Serializer[Any]):
    """The parameters of `GET decisions`."""

    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100)
    since = Moment(required=False)
    before = PlaceField(required=False)
    node = serializers.CharField(required=False)
    model = serializers.CharField(required=False)
    outcome = serializers.ChoiceField([*RoutingDecision.OUTCOMES, (RUNNING, RUNNING)], required=False)
    key = serializers.CharField(required=False)
    tag = serializers.CharField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A misspelt filter must not show everything."""
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError({name: f"Known are: {', '.join(self.fields)}." for name in unknown})
        return attrs

    def wanted(self) -> Wanted:
        """What was asked for; ValidationError (400) names each parameter that is wrong."""
        self.is_valid(raise_exception=True)
        return Wanted(**self.validated_data)


def _moment(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except ValueError:
        # In a URL, the plus of a time zone arrives as a space.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
