"""docs/faults.md: every fault once, every answer one of three, every named test there and run."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import files, python, text, tree

PAGE = "docs/faults.md"
HOW_MANY = 95
ROW = re.compile(r"\| *(\d+) *\|([^|]*)\|([^|]*)\|")
TESTS = re.compile(r"(?:`[\w/]+\.py(?:::\w+){1,2}` ?)+")
NOT_APPLICABLE, TO_COME = "not applicable: ", "to come: "
TITLES = (
    "B. See it and steer it: admin, first live page, demo, first figures",
    "C. Four protocols, complete, proven with their own clients",
    "D. A fleet that knows itself: agent, discovery, adaptive capacity, health",
    "E. What people see: admin, live dashboard, decisions that explain themselves",
)
ROWS = [(int(n), fault.strip(), answer.strip()) for n, fault, answer in ROW.findall(text(PAGE))]
NAMED = sorted({name for _, _, answer in ROWS if TESTS.fullmatch(answer) for name in re.findall(r"`(.+?)`", answer)})


def test_every_fault_stands_there_once() -> None:
    assert [number for number, _, _ in ROWS] == list(range(1, HOW_MANY + 1))


def test_every_fault_is_told() -> None:
    assert [number for number, fault, _ in ROWS if len(fault) < 10] == []


def test_every_answer_is_tests_or_a_reason_or_what_will_bring_it() -> None:
    assert [row for row in ROWS if not is_answer(row[2])] == []


def is_answer(answer: str) -> bool:
    """Tests, why the fault can't be had, or the title of what will make us immune."""
    if answer.startswith(TO_COME):
        return answer.removeprefix(TO_COME) in TITLES
    return bool(TESTS.fullmatch(answer)) or len(answer.removeprefix(NOT_APPLICABLE)) not in (0, len(answer))


@pytest.mark.parametrize("name", NAMED)
def test_a_named_test_is_there_and_is_run(name: str) -> None:
    path, *scope, test = name.split("::")
    assert path in files()
    assert test in functions(path, *scope)
    assert is_collected(path, *scope)


def functions(path: str, owner: str = "") -> set[str]:
    """The names of the functions of a file, or of a class in it."""
    body = next((each.body for each in classes(path) if each.name == owner), []) if owner else tree(path).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def is_collected(path: str, owner: str = "") -> bool:
    """Does pytest find it: in a file of tests, or by a class of tests that inherits it?"""
    if path.rpartition("/")[2].startswith("test_"):
        return owner == "" or owner.startswith("Test")
    return any(heir.startswith("Test") for heir in heirs(owner))


def heirs(name: str) -> Iterator[str]:
    """Every class of the tests that inherits from this one."""
    for each in (each for path in python("tests/") for each in classes(path)):
        if name in map(ast.unparse, each.bases):
            yield each.name
            yield from heirs(each.name)


def classes(path: str) -> list[ast.ClassDef]:
    """The classes of a file."""
    return [node for node in tree(path).body if isinstance(node, ast.ClassDef)]
