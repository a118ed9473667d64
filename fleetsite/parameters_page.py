"""The admin's pages of parameters: all of them to edit, the history of each, and of all."""

import os
from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from fleetsite import overrides
from fleetsite import parameters_form as form
from fleetsite.models import ParameterOverride
from fleetsite.parameters import PARAMETERS, BadParameters, merge, written
from fleetsite.views import parameter_rows

PER_PAGE, RECENT = 50, 10
IN_FORCE = "In force everywhere within two seconds."
Problems = Mapping[str, str]


@require_http_methods(["GET", "POST"])
def everything(request: HttpRequest) -> HttpResponse:
    """Every parameter, to read; and to change, several at once, for those who may."""
    if request.method == "GET":
        return _everything(request, {})
    _may_change(request)
    wanted = form.changes(request.POST)
    try:
        _change(request, wanted)
    except BadParameters as error:
        return _everything(request, error.problems)
    messages.success(request, f"{_counted(len(wanted))} changed. {IN_FORCE}" if wanted else "Nothing was changed.")
    return redirect("admin:parameters")


@require_http_methods(["GET", "POST"])
def one(request: HttpRequest, name: str) -> HttpResponse:
    """The history of one parameter; a POST goes back to an earlier value, or to no override."""
    if name not in PARAMETERS:
        raise Http404(f"There is no parameter {name}.")
    if request.method == "POST":
        _may_change(request)
        return _back(request, name)
    row = next(row for row in parameter_rows() if row["name"] == name)
    [entry] = [e for s in form.sections([row], {}, {}) for e in s.entries]
    return _page(request, "parameter", name, entry=entry, history=_history(request, name))


@require_http_methods(["GET"])
def history(request: HttpRequest) -> HttpResponse:
    """Every change of every parameter, newest first."""
    return _page(request, "parameter_history", "Changes of parameters", history=_history(request))


def urls() -> list[URLPattern]:
    """These pages, for the admin's own list of them."""
    guard = admin.site.admin_view
    return [
        path("parameters/", guard(everything), name="parameters"),
        path("parameters/history/", guard(history), name="parameters_history"),
        path("parameters/<str:name>/", guard(one), name="parameter"),
    ]


@transaction.atomic
def _change(request: HttpRequest, wanted: Mapping[str, object]) -> None:
    """Nobody comes between the look at what holds and the change."""
    form.refuse_overtaken(wanted, request.POST, parameter_rows())
    if wanted:
        overrides.change(wanted, request.POST.get("note", ""), request.user)


def _back(request: HttpRequest, name: str) -> HttpResponse:
    try:
        overrides.change({name: _earlier(name, request.POST.get("to"))}, request.POST.get("note", ""), request.user)
        now = merge(os.environ, overrides.in_force(overrides.latest())).get(name, PARAMETERS[name].default)
        messages.success(request, f"{name} is {form.shown(written(now))} again. {IN_FORCE}")
    except BadParameters as error:
        messages.error(request, f"{error}.")
    return redirect("admin:parameter", name)


def _earlier(name: str, to: str | None) -> object:
    """The value of that change of this parameter; None for no override."""
    if to == "":
        return None
    if not (to or "").isdecimal():
        raise Http404("There is no such change.")
    return get_object_or_404(ParameterOverride, pk=to, name=name).value


def _everything(request: HttpRequest, problems: Problems) -> HttpResponse:
    shown = form.sections(parameter_rows(), request.POST, problems)
    recent = [_described(row) for row in overrides.history()[:RECENT]]
    given = {"sections": shown, "problems": problems, "note": request.POST.get("note", ""), "recent": recent}
    return _page(request, "parameters", "Parameters", **given)


def _history(request: HttpRequest, name: str | None = None) -> Any:
    """One page of changes, each with its step in words."""
    page = Paginator(overrides.history(name), PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = [_described(row) for row in page.object_list]
    return page


def _described(row: Any) -> Any:
    row.step = overrides.step(row.before, row.value)
    row.goal = "no override" if row.value is None else form.shown(written(row.value))
    return row


def _page(request: HttpRequest, template: str, title: str, **given: Any) -> HttpResponse:
    context = admin.site.each_context(request) | {
        "title": title,
        "may_change": request.user.has_perm(overrides.RIGHT),
        "longest_note": overrides.LONGEST_NOTE,
    }
    return render(request, f"admin/fleet/{template}.html", context | given)


def _may_change(request: HttpRequest) -> None:
    if not request.user.has_perm(overrides.RIGHT):
        raise PermissionDenied(f"To change parameters needs the right {overrides.RIGHT}.")


def _counted(number: int) -> str:
    return "1 parameter" if number == 1 else f"{number} parameters"
