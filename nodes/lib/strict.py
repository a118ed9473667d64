"""What the control API is asked and told: a form that refuses what it does not know."""

from typing import Any

from rest_framework import serializers


class Strict(serializers.Serializer[Any]):
    """Fields of a query or a body; a misspelt filter must not show everything, nor a misspelt field change nothing."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The same values; ValidationError (400) for each name that is unknown."""
        known = ", ".join(self.fields) or "none"
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError(dict.fromkeys(unknown, f"Known are: {known}."))
        return attrs

    def checked(self) -> dict[str, Any]:
        """The values that were given; ValidationError (400) names each that is wrong."""
        self.is_valid(raise_exception=True)
        return dict(self.validated_data)
