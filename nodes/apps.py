"""The ground floor as a Django application."""

from django.apps import AppConfig


class NodesConfig(AppConfig):
    """The machines."""

    name = "nodes"
    default_auto_field = "django.db.models.BigAutoField"
