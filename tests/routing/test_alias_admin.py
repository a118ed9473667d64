"""Aliases in the admin."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from nodes import changes
from routing import aliases
from routing.models import ModelAlias

pytestmark = pytest.mark.django_db
PAGE = "/admin/routing/modelalias/"
FORM = {"name": "fast", "target": "qwen2.5:7b", "fallbacks": "phi4, llama3"}


def of_group(name: str) -> Client:
    """A browser that a member of this group alone signed in with."""
    user = User.objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=name))
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    return client


def test_an_operator_makes_an_alias_and_servers_are_told() -> None:
    before = changes.count()
    of_group("operator").post(f"{PAGE}add/", FORM)
    row = ModelAlias.objects.get()
    assert (row.target, row.fallbacks) == ("qwen2.5:7b", ["phi4:latest", "llama3:latest"])
    assert changes.count() > before


def test_an_operator_changes_and_removes_it() -> None:
    operator, row = of_group("operator"), aliases.save(ModelAlias(name="fast", target="m"))
    operator.post(f"{PAGE}{row.pk}/change/", FORM | {"target": "phi4", "fallbacks": ""})
    assert ModelAlias.objects.get().target == "phi4:latest"
    operator.post(f"{PAGE}{row.pk}/delete/", {"post": "yes"})
    assert not ModelAlias.objects.exists()


def test_an_alias_of_an_alias_is_refused_on_the_form() -> None:
    aliases.save(ModelAlias(name="fast", target="m"))
    answer = of_group("operator").post(f"{PAGE}add/", {"name": "other", "target": "fast", "fallbacks": ""})
    assert "name the model itself" in answer.content.decode()


def test_an_auditor_sees_aliases_and_changes_none() -> None:
    row, auditor = aliases.save(ModelAlias(name="fast", target="m")), of_group("auditor")
    assert "fast" in auditor.get(PAGE).content.decode()
    assert auditor.post(f"{PAGE}{row.pk}/delete/", {"post": "yes"}).status_code == 403
