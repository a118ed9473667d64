"""The pages of the dashboards."""

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from fleetsite.dashboards import words
from fleetsite.dashboards.access import page_is_open


@require_safe
@never_cache
def fleet(request: HttpRequest) -> HttpResponse:
    """The live dashboard, empty; its scripts fill it."""
    if not page_is_open(request):
        return redirect_to_login(request.get_full_path())
    return render(request, "dashboards/fleet.html", {"words": words.for_page()})
