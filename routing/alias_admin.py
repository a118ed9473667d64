"""Names that clients use, in the admin."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from nodes.lib.admin import ModelAdmin, display, register
from routing import aliases
from routing.forms import AliasForm
from routing.models import ModelAlias


@register(ModelAlias)
class ModelAliasAdmin(ModelAdmin):
    """What a name stands for: servers follow within two seconds. A model of the same name wins over it."""

    form = AliasForm
    list_display = ("name", "target", "instead")
    search_fields = ("name", "target")
    fields = ("name", "target", "fallbacks")

    @display(description="instead")
    def instead(self, alias: ModelAlias) -> str:
        return ", ".join(alias.fallbacks)

    def save_model(self, request: HttpRequest, obj: ModelAlias, form: Any, change: bool) -> None:
        """Keep it, and tell every server."""
        aliases.save(obj)

    def delete_model(self, request: HttpRequest, obj: ModelAlias) -> None:
        """Forget it, and tell every server."""
        aliases.remove([obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ModelAlias]) -> None:
        """Forget several, and tell every server."""
        aliases.remove(queryset)
