"""The main floor as a Django application."""

from django.apps import AppConfig


class RoutingConfig(AppConfig):
    """Requests: where they go, and what is remembered of them."""

    name = "routing"
    default_auto_field = "django.db.models.BigAutoField"
