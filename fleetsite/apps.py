"""The roof as a Django application."""

from django.apps import AppConfig


class FleetsiteConfig(AppConfig):
    """Parameters, checks, commands."""

    name = "fleetsite"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from fleetsite import checks  # noqa: F401
