"""docs/protocols.md says of each path and engine what the code knows."""

import re

import pytest

from routing.core.routes import EVER, KINDS, OTHER, ROUTES, Kind
from routing.protocols import PROTOCOLS
from routing.protocols.openai_responses import REMEMBERED
from tests.architecture.source import text

PAGE = text("docs/protocols.md")
COLUMNS = (KINDS["ollama"], KINDS["llama.cpp"], KINDS["vllm"], OTHER)
ROWS = dict(re.findall(r"(?m)^\| `(/[\w/]+)` \| (.+) \|$", PAGE))


def said(kind: Kind, path: str) -> str:
    """How the page writes since when this kind of engine serves a path."""
    since = kind.since.get(path)
    if since is None:
        return "–"
    return "always" if since == EVER else ".".join(map(str, since))


@pytest.mark.parametrize("path", sorted(ROUTES))
def test_a_path_has_the_versions_that_the_code_knows(path: str) -> None:
    assert ROWS[path].split(" | ") == [said(kind, path) for kind in COLUMNS]


def test_every_path_that_is_answered_by_engines_stands_there() -> None:
    assert set(ROWS) == set(PROTOCOLS) == ROUTES


@pytest.mark.parametrize("field", REMEMBERED)
def test_what_is_refused_stands_there(field: str) -> None:
    assert f"`{field}`" in PAGE
