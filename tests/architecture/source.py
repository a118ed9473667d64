"""The repository as text and as syntax trees."""

import ast
import gc
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("fleetsite/", "routing/", "nodes/", "manage.py")


@cache
def files() -> tuple[str, ...]:
    """Every file that is, or would be, committed; paths from the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return tuple(sorted(path for path in listed if path and (ROOT / path).is_file()))


def text(path: str) -> str:
    """A file's content."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: str) -> ast.Module:
    """A Python file's syntax tree. The collector rests meanwhile: what it runs inside a parser breaks it."""
    gc.disable()
    try:
        return ast.parse(text(path), path)
    finally:
        gc.enable()


def source() -> tuple[str, ...]:
    """Every Python file that runs; no tests, no migrations."""
    return tuple(path for path in python(*FLOORS) if "/migrations/" not in path)


def python(*under: str) -> tuple[str, ...]:
    """Every Python file under these folders."""
    return tuple(path for path in files() if path.endswith(".py") and path.startswith(under))


@cache
def imports(path: str) -> frozenset[str]:
    """The full names of the modules that a file imports, wherever in it."""
    return frozenset(_imports(path))


def _imports(path: str) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def strings(path: str) -> Iterator[str]:
    """Every text constant of a file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def calls(path: str) -> Iterator[str]:
    """What a file calls, as it is written: `time.sleep`, `open`."""
    return (ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call))
