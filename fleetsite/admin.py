"""Users and groups in the house's skin, and the log of what people changed."""

from typing import TYPE_CHECKING, Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as StockGroupAdmin
from django.contrib.auth.admin import UserAdmin as StockUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from nodes.lib.admin import (
    AdminPasswordChangeForm,
    ModelAdmin,
    ReadOnlyAdmin,
    UserChangeForm,
    UserCreationForm,
    display,
    register,
    site,
)

site.unregister(User)
site.unregister(Group)


if TYPE_CHECKING:
    UserPages = StockUserAdmin[User]
else:
    UserPages = StockUserAdmin


@register(User)
class UserAdmin(UserPages, ModelAdmin):
    """Who may sign in."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    unlogged = ("password", "password1", "password2", "last_login")
    list_display = ("username", "is_active", "is_staff", "is_superuser", "in_groups", "last_login")

    @display(description="groups")
    def in_groups(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all()) or "–"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")


@register(Group)
class GroupAdmin(StockGroupAdmin, ModelAdmin):
    """What they may do."""


@register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """What people changed here: who, when, before and after."""

    list_display = ("action_time", "user", "kind", "object_repr", "words")
    list_filter = ("action_time", "user", "content_type")
    list_display_links = None
    search_fields = ("object_repr", "change_message")
    list_select_related = ("user", "content_type")

    @display(description="what")
    def kind(self, entry: LogEntry) -> str:
        return entry.content_type.name if entry.content_type else "–"

    @display(description="change")
    def words(self, entry: LogEntry) -> str:
        return entry.get_change_message()
