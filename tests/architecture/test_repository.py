"""What the repository says, and what it keeps to itself."""

import re
from collections.abc import Iterator

import pytest
from django.urls import Resolver404, resolve

from fleetsite.asgi import RAW, sockets
from routing.endpoints import is_ours
from routing.listings import LISTINGS
from routing.management import MANAGEMENT
from routing.protocols import PROTOCOLS
from tests.architecture.source import files, imports, source, strings, text

BINARY = (".png", ".ico", ".woff2", ".gz", ".sqlite3")
TEXTS = tuple(path for path in files() if not path.endswith(BINARY))
PAGES = tuple(path for path in TEXTS if path.endswith(".md"))
# Written so that this file does not say what it forbids.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:work|root|home)/"),
    "a host of a package registry": re.compile(r"py[p]i\.org|python[h]osted|npm[j]s|artif[a]ctory", re.I),
    "work left undone": re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b"),
}
REQUIREMENTS = [line for line in text("requirements.txt").splitlines() if line and not line.startswith("#")]
PINNED = re.compile(r"([\w.-]+)==([\w.]+)(; [^#]+)?\s+# (\S.*)")
MODULES = {
    "Django": "django",
    "djangorestframework": "rest_framework",
    "django-unfold": "unfold",
    "backports.zstd": "backports",
}  # else the package's own name, `-` as `_`
HELPERS = dict.fromkeys(("httptools", "websockets", "uvloop"), "uvicorn")  # what uses them in our place
ENGINES_OWN = ("/api/v0/models",)  # paths that pages tell of engines
SOCKETS = sockets[:-1]  # the last one answers whatever is none
PATH = re.compile(r"(?:[`\s\"]|:\d+|:PORT)(/(?:api|v1|fleet|admin|healthz|readyz)[\w/{}-]*)")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_says_what_belongs_elsewhere(what: str) -> None:
    assert [path for path in TEXTS if FORBIDDEN[what].search(text(path))] == []


@pytest.mark.parametrize("line", REQUIREMENTS)
def test_a_requirement_is_pinned_and_says_why_it_is_here(line: str) -> None:
    assert PINNED.fullmatch(line)


@pytest.mark.parametrize("line", REQUIREMENTS)
def test_a_requirement_is_used(line: str) -> None:
    package = re.split(r"[=<>~;! ]", line)[0]
    name = HELPERS.get(package) or MODULES.get(package) or package.replace("-", "_")
    assert any(path for path in source() if name in used(path))


def used(path: str) -> set[str]:
    """The packages that a file imports, or names as Django's settings do."""
    named = strings(path) if path == "fleetsite/settings.py" else ()
    return {name.partition(".")[0] for name in (*imports(path), *named)}


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(path.split("/")[-1][:4]) for path in PAGES if path.startswith("docs/decisions/")]
    assert numbers == list(range(1, len(numbers) + 1))


def paths() -> Iterator[tuple[str, str]]:
    """Every path of ours that a page names, with the page."""
    return ((page, found) for page in PAGES for found in PATH.findall(text(page)) if found not in ENGINES_OWN)


def answered(path: str) -> bool:
    """Is there somebody who answers it, or what is under it?"""
    if any(f"{known}/".startswith(f"{path.rstrip('/')}/") for known in (*RAW, *PROTOCOLS)):
        return True
    listed = any(row.takes(path) for row in (*LISTINGS, *MANAGEMENT))
    if listed or any(socket.pattern.match(path[1:]) for socket in SOCKETS):
        return True
    try:
        return not is_ours(path) and bool(resolve(path))
    except Resolver404:
        return False


def test_every_path_that_a_page_names_is_answered() -> None:
    assert [row for row in paths() if not answered(row[1])] == []


def test_every_page_that_is_linked_is_there() -> None:
    links = ((page, link) for page in PAGES for link in re.findall(r"\]\(((?!http)[^)#]+)", text(page)))
    assert [row for row in links if "/".join([*row[0].split("/")[:-1], row[1]]) not in files()] == []
