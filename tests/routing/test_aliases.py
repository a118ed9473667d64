"""Aliases: kept in one form, never for one another, told to every server; over the control API too."""

from collections.abc import Iterator

import pytest
from rest_framework.test import APIClient

from nodes import changes
from nodes.lib.control import ControlToken
from nodes.lib.live import install
from routing import aliases
from routing.core.aliases import Alias
from routing.models import ModelAlias

pytestmark = pytest.mark.django_db
URL = "/fleet/api/v1/aliases"


def made(name: str = "fast", target: str = "Qwen2.5:7B", *fallbacks: str) -> ModelAlias:
    return aliases.save(ModelAlias(name=name, target=target, fallbacks=list(fallbacks)))


@pytest.fixture
def operator() -> Iterator[APIClient]:
    """Who holds the control token."""
    install(ControlToken("token"))
    yield APIClient(HTTP_HOST="localhost", HTTP_AUTHORIZATION="Bearer token")
    install(ControlToken())


def test_names_are_kept_in_their_one_form() -> None:
    row = made("Claude-Sonnet:latest", "Qwen2.5", "PHI4", "phi4")
    assert (row.name, row.target, row.fallbacks) == ("claude-sonnet", "qwen2.5:latest", ["phi4:latest"])


def test_servers_hold_them_by_their_normal_name() -> None:
    made("fast", "qwen2.5:7b", "phi4")
    assert aliases.load().by_name == {"fast:latest": Alias("fast", "qwen2.5:7b", ("phi4:latest",))}


def test_every_change_is_told() -> None:
    counts = [changes.count()]
    row = made()
    counts.append(changes.count())
    aliases.change("fast", {"target": "phi4"})
    counts.append(changes.count())
    aliases.remove([row])
    assert [*counts, changes.count()] == sorted({*counts, changes.count()})


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("fast:latest", "m", "There is an alias 'fast' already"),
        ("other", "fast", "'fast' is an alias: name the model itself"),
        ("self", "self", "'self' is an alias"),
        ("qwen2.5:7b", "m", "Another alias stands for 'qwen2.5:7b'"),
        ("", "m", "can't be a model's name"),
        ("a\nb", "m", "can't be a model's name"),
        ("other", " ", "can't be a model's name"),
    ],
)
def test_an_alias_that_can_not_be_is_refused_with_the_reason(name: str, target: str, words: str) -> None:
    made()
    with pytest.raises(aliases.AliasProblem) as refused:
        made(name, target)
    assert words in str(refused.value)


def test_the_api_makes_shows_changes_and_removes_one(operator: APIClient) -> None:
    new = {"name": "fast", "target": "qwen2.5:7b", "fallbacks": ["phi4:latest"]}
    assert operator.post(URL, new, format="json").status_code == 201
    assert operator.get(URL).json()["results"] == [new]
    changed = operator.patch(f"{URL}/fast", {"target": "phi4"}, format="json").json()
    assert changed == operator.get(f"{URL}/fast").json() == new | {"target": "phi4:latest"}
    assert operator.delete(f"{URL}/fast").status_code == 204
    assert not ModelAlias.objects.exists()


@pytest.mark.parametrize("body", [{}, {"name": "fast"}, {"name": "a", "target": "m", "colour": "red"}])
def test_the_api_refuses_what_is_no_alias(operator: APIClient, body: dict[str, str]) -> None:
    assert operator.post(URL, body, format="json").status_code == 400


def test_the_api_says_which_aliases_there_are(operator: APIClient) -> None:
    made()
    answer = operator.get(f"{URL}/nope")
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no alias 'nope'. Aliases: fast.")


def test_a_problem_is_told_over_the_api(operator: APIClient) -> None:
    made()
    answer = operator.post(URL, {"name": "x", "target": "fast"}, format="json")
    assert (answer.status_code, "name the model itself" in str(answer.json())) == (400, True)
