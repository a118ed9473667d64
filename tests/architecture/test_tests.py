"""Tests that test something, and nothing of the machine they run on."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from fleetsite.parameters import PARAMETERS, SETTINGS
from tests.architecture.source import python, tree
from tests.conftest import without_settings

VERDICTS = ("pytest.raises", "pytest.fail", "pytest.warns", "until", "wait_for")  # calls that fail by themselves
Function = ast.FunctionDef | ast.AsyncFunctionDef


def every_test() -> Iterator[tuple[str, Function, dict[str, Function]]]:
    """Every test, with its file and the functions of that file."""
    for path in python("tests/"):
        functions = [node for node in ast.walk(tree(path)) if isinstance(node, Function)]
        known = {each.name: each for each in functions}
        yield from ((path, each, known) for each in functions if each.name.startswith("test_"))


def decides(function: Function, known: dict[str, Function], depth: int = 2) -> bool:
    """Can it fail? By an assertion, a call that fails by itself, or a helper that does either."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            helper = known.get(name.rpartition(".")[2])
            if name.endswith(VERDICTS) or (depth and helper and decides(helper, known, depth - 1)):
                return True
    return False


def test_every_test_can_fail() -> None:
    assert [f"{path}::{test.name}" for path, test, known in every_test() if not decides(test, known)] == []


def test_a_name_in_a_file_of_tests_is_given_once() -> None:
    """The second of two tests of one name would silently take the place of the first."""
    bodies = [(path, scope.body) for path in python("tests/") for scope in scopes(tree(path))]
    named = [(path, [each.name for each in body if isinstance(each, Function)]) for path, body in bodies]
    assert [path for path, names in named if len(names) != len(set(names))] == []


def scopes(module: ast.Module) -> Iterator[ast.Module | ast.ClassDef]:
    """The module and its classes."""
    yield module
    yield from (node for node in module.body if isinstance(node, ast.ClassDef))


def test_no_setting_of_this_machine_reaches_a_test() -> None:
    assert [name for name in (*PARAMETERS, *SETTINGS) if name in os.environ and name != "FLEET_DATA_DIR"] == []


def test_no_setting_of_this_machine_reaches_a_router() -> None:
    assert without_settings(dict.fromkeys((*PARAMETERS, *SETTINGS, "PATH"), "x")) == {"PATH": "x"}


def test_every_folder_of_tests_is_a_package() -> None:
    """Two files of one name in folders that are no packages would hide each other."""
    folders = {Path(path).parent for path in python("tests/")}
    assert [str(folder) for folder in folders if f"{folder.as_posix()}/__init__.py" not in python("tests/")] == []
