"""Aliases in the admin."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from nodes import changes
from routing import aliases
from routing.models import ModelAlias
from tests.routing.records import here

pytestmark = pytest.mark.django_db
PAGE = "/admin/routing/modelalias/"
FORM = {"name": "fast", "target": "qwen2.5:7b", "fallbacks": "phi4, llama3"}


@pytest.fixture
def operator() -> Client:
    """A browser that a superuser signed in with."""
    client = here()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def test_an_alias_is_made_and_servers_are_told(operator: Client) -> None:
    before = changes.count()
    operator.post(f"{PAGE}add/", FORM)
    row = ModelAlias.objects.get()
    assert (row.target, row.fallbacks) == ("qwen2.5:7b", ["phi4:latest", "llama3:latest"])
    assert changes.count() > before


def test_an_alias_is_changed_and_removed(operator: Client) -> None:
    row = aliases.save(ModelAlias(name="fast", target="m"))
    operator.post(f"{PAGE}{row.pk}/change/", FORM | {"target": "phi4", "fallbacks": ""})
    assert ModelAlias.objects.get().target == "phi4:latest"
    operator.post(f"{PAGE}{row.pk}/delete/", {"post": "yes"})
    assert not ModelAlias.objects.exists()


def test_an_alias_of_an_alias_is_refused_on_the_form(operator: Client) -> None:
    aliases.save(ModelAlias(name="fast", target="m"))
    answer = operator.post(f"{PAGE}add/", {"name": "other", "target": "fast", "fallbacks": ""})
    assert "name the model itself" in answer.content.decode()
