"""The one door to the admin's skin: whoever declares an admin page takes its classes from here."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.contrib.admin import ShowFacets, SimpleListFilter, TabularInline, display, register, site
from django.contrib.admin.models import DELETION, LogEntry
from django.forms import Widget
from django.http import HttpRequest
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action as skin_action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.views import ChangeList
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from nodes.lib.words import before_and_after, listed

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as StockAdmin

    Skin = StockAdmin[Any]
else:
    from unfold.admin import ModelAdmin as Skin
    from unfold.admin import TabularInline

__all__ = [
    "AdminPasswordChangeForm",
    "ChangeList",
    "ModelAdmin",
    "RangeDateTimeFilter",
    "ReadOnlyAdmin",
    "ShowFacets",
    "SimpleListFilter",
    "TabularInline",
    "UserChangeForm",
    "UserCreationForm",
    "action",
    "display",
    "number_input",
    "register",
    "site",
    "text_input",
]


Method = TypeVar("Method", bound=Callable[..., Any])


def action(description: str, permissions: Sequence[str], **more: str) -> Callable[[Method], Method]:
    """A method as an action, for those with the permissions; `more`: `icon`, `url_path` of a link on a row's page."""
    decorate: Any = skin_action(None, description=description, permissions=permissions, **more)  # type: ignore[arg-type]
    return cast(Callable[[Method], Method], decorate)


class ModelAdmin(Skin):
    """An admin page in the house's skin.

    What is done on it stands in the log with before and after, in words.
    """

    list_per_page = 50
    list_max_show_all = 500
    list_fullwidth = True
    unlogged: tuple[str, ...] = ()  # fields that no log may hold

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """What a form changed, or what it made."""
        after = {name: form.cleaned_data.get(name) for name in form.changed_data if name not in self.unlogged}
        if add:
            return f"Added: {listed(after)}."
        before = {name: form.get_initial_for_field(form.fields[name], name) for name in after}
        return before_and_after(before, after) or "Nothing changed."

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """What was deleted, as it was."""
        return [self._log_deletion(request, row) for row in queryset]

    def note(self, request: HttpRequest, row: Any, words: str) -> None:
        """What an action did to a row."""
        self.log_change(request, row, words)

    def note_changes(self, request: HttpRequest, row: Any, after: Mapping[str, object]) -> None:
        """What an action makes of a row that still is as it was."""
        before = {name: getattr(row, name) for name in after}
        self.note(request, row, before_and_after(before, after) or "Nothing changed.")

    def _log_deletion(self, request: HttpRequest, row: Any) -> Any:
        fields = [f.name for f in row._meta.concrete_fields if f.editable and f.name not in self.unlogged]
        words = f"Deleted; it was: {listed({name: getattr(row, name) for name in fields})}."
        user: Any = request.user.pk
        return LogEntry.objects.log_actions(user, [row], DELETION, words, single_object=True)


class ReadOnlyAdmin(ModelAdmin):
    """To look at; nobody adds, changes or deletes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def text_input(**attributes: str) -> Widget:
    """A text field in the house's skin, for a form's own fields."""
    widget: Widget = UnfoldAdminTextInputWidget(attributes)
    return widget


def number_input(**attributes: str) -> Widget:
    """A field for a whole number in the house's skin."""
    widget: Widget = UnfoldAdminIntegerFieldWidget(attributes)
    return widget
