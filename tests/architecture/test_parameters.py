"""No knob without a wire: every parameter and every setting is read by what it is said to change."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from fleetsite.parameters import PARAMETERS, SETTINGS
from nodes.lib.parameter import parameters_of
from routing.core.parameters import GROUPS
from tests.architecture.source import calls, files, source, strings, text, tree

READ_BY_LIBRARY = {"DATABASE_URL": "dj_database_url.config"}
FIELDS = [(group.__name__, declared.name) for group in GROUPS for declared in parameters_of(group)]
NAMES = {name for _, name in FIELDS}


def carriers(module: ast.Module, group: str) -> Iterator[str]:
    """The expressions of a module that stand for this group's values: `policy`, `current(QueuePolicy)`."""
    yield f"current({group})"
    for node in ast.walk(module):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            yield from [name] * (ast.unparse(node.annotation) == group)
        elif isinstance(node, ast.Assign):
            yield from assigned(node, f"current({group})")


def assigned(statement: ast.Assign, value: str) -> Iterator[str]:
    """The names that get this value, alone or in a row of several."""
    for target in statement.targets:
        pairs = zip(elements(target), elements(statement.value), strict=False)
        yield from (ast.unparse(name) for name, given in pairs if ast.unparse(given) == value)


def elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def held_as(group: str) -> Iterator[str]:
    """Fields of other classes that hold this group: `weights` of `Policy`."""
    classes = (node for path in source() for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))
    fields = (field for each in classes for field in each.body if isinstance(field, ast.AnnAssign))
    return (ast.unparse(field.target) for field in fields if ast.unparse(field.annotation) == group)


@cache
def attributes(path: str) -> tuple[tuple[str, str], ...]:
    """What a file reads of what: (`policy`, `max_held`); of what no parameter is called, nothing."""
    read = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute) and node.attr in NAMES)
    return tuple((ast.unparse(node.value), node.attr) for node in read if isinstance(node.ctx, ast.Load))


@cache
def reads(group: str) -> set[str]:
    """Every field of this group that source code reads."""
    fields, found = set(held_as(group)), set[str]()
    for path in source():
        here = set(carriers(tree(path), group))
        found |= {name for held, name in attributes(path) if held in here or held.rpartition(".")[2] in fields}
    return found


@pytest.mark.parametrize(("group", "field"), FIELDS)
def test_a_parameter_is_read_by_what_it_changes(group: str, field: str) -> None:
    assert field in reads(group)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_is_read(setting: str) -> None:
    reader = READ_BY_LIBRARY.get(setting, "")
    by = [path for path in source() if path != "fleetsite/parameters.py" and setting in strings(path)]
    assert by or reader in calls("fleetsite/settings.py")


def documented() -> Iterator[tuple[str, str]]:
    """Names that look like ours, and the page that speaks of them."""
    for path in files():
        if path.endswith(".md"):
            words = text(path).replace("`", " ").replace("=", " ").replace('"', " ").split()
            yield from ((path, word.strip(".,;:()|*")) for word in words if word.startswith("FLEET_"))


def test_every_name_that_a_page_mentions_is_a_parameter_or_a_setting() -> None:
    assert [row for row in documented() if row[1] not in PARAMETERS and row[1] not in SETTINGS] == []
