"""Tests that test something, and nothing of the machine they run on."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from fleetsite.parameters import PARAMETERS, SETTINGS
from tests.architecture.source import python, tree
from tests.conftest import without_settings

# Calls that fail by themselves.
VERDICTS = (
    "raises",
    "pytest.fail",
    "pytest.warns",
    "until",
    "wait_for",
    "assert_num_queries",
    "timeout",
    "call_command",
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Function]]:
    """Every function of the tests, with its file."""
    for path in python("tests/"):
        yield from ((path, node) for node in ast.walk(tree(path)) if isinstance(node, Function))


def decides(function: Function) -> bool:
    """Does it fail by itself? By an assertion, or a call that is one."""
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(VERDICTS))
        for node in ast.walk(function)
    )


def called(function: Function) -> set[str]:
    """The names of what it calls."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return {ast.unparse(call.func).rpartition(".")[2] for call in calls}


def test_every_test_can_fail() -> None:
    tests = [(path, each) for path, each in functions() if each.name.startswith("test_")]
    helpers = {each.name for _, each in functions() if decides(each)}
    helpers |= {each.name for _, each in functions() if called(each) & helpers}
    assert [f"{path}::{t.name}" for path, t in tests if not decides(t) and not called(t) & helpers] == []


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
