"""Two pages between an action and its end: a choice to make, a secret to copy."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse

from nodes.lib.admin import ModelAdmin

CHOSEN = "chosen"  # the field of the choice
Choice = tuple[str, str, str]  # value, label, what is soft beside it


def choose(
    admin: Any,
    request: HttpRequest,
    rows: Iterable[Any],
    *,
    action: str,
    title: str,
    text: str,
    submit: str,
    choices: Sequence[Choice] = (),
    nothing: str = "",
) -> TemplateResponse:
    """A page that asks and posts the answer to `action` of the same rows; `nothing`: what to say without choices."""
    context = {
        "title": title,
        "text": text,
        "submit": submit,
        "choices": choices,
        "nothing": "" if choices else nothing,
        "rows": list(rows),
        "action": action,
        "selected_name": ACTION_CHECKBOX_NAME,
        "chosen_name": CHOSEN,
        "list_url": _list_url(admin),
    }
    return _page(admin, request, "admin/fleet/choose.html", context)


def chosen(request: HttpRequest) -> str:
    """What was chosen; empty while it is still to be asked."""
    return str(request.POST.get(CHOSEN, ""))


def show_once(admin: Any, request: HttpRequest, *, title: str, text: str, secret: str) -> TemplateResponse:
    """A secret, in the answer to the very request that made it: it is kept nowhere, so it is never shown again."""
    context = {"title": title, "text": text, "secret": secret, "list_url": _list_url(admin)}
    return _page(admin, request, "admin/fleet/secret.html", context)


class SecretAdmin(ModelAdmin):
    """A page on which credentials are made: `save_model` calls `made`, and the answer shows the secret once."""

    secret_title = ""
    secret_text = ""

    def made(self, obj: Any, secret: str) -> None:
        """This row's secret, for as long as this request lives."""
        obj.__dict__["secret"] = secret

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> TemplateResponse:
        """The secret instead of the list."""
        title, secret = f"{self.secret_title}: {obj}", obj.__dict__["secret"]
        return show_once(self, request, title=title, text=self.secret_text, secret=secret)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """One button alone makes a new one: each of the others would lead away from its secret."""
        if kwargs.get("add"):
            context = context | {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, context, *args, **kwargs)


def _page(admin: Any, request: HttpRequest, template: str, context: dict[str, Any]) -> TemplateResponse:
    everywhere = admin.admin_site.each_context(request) | {"opts": admin.opts, "media": admin.media}
    return TemplateResponse(request, template, everywhere | context)


def _list_url(admin: Any) -> str:
    return reverse(f"{admin.admin_site.name}:{admin.opts.app_label}_{admin.opts.model_name}_changelist")
