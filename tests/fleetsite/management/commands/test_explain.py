import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

GOOD = {"request": {"models": ["acme:7b"]}, "nodes": [{"id": "a", "on_disk": [{"name": "acme:7b", "size_gb": 5}]}]}


def run(file: str | Path) -> tuple[int, list[dict[str, Any]]]:
    """Exit status and what was printed, a line each."""
    printed, status = io.StringIO(), 0
    try:
        call_command("explain", str(file), stdout=printed)
    except SystemExit as end:
        status = int(str(end.code))
    return status, [json.loads(line) for line in printed.getvalue().splitlines()]


def written(folder: Path, *lines: bytes) -> Path:
    """A file of these lines."""
    file = folder / "cases.jsonl"
    file.write_bytes(b"\n".join(lines))
    return file


def test_each_case_is_answered_on_a_line(tmp_path: Path) -> None:
    line = json.dumps(GOOD).encode()
    status, answers = run(written(tmp_path, line, b"", line))
    assert (status, [a["node"] for a in answers]) == (0, ["a", "a"])


@pytest.mark.parametrize("bad", [b"{", b"\xff\xfe\xff", b"[" * 100_000], ids=["json", "utf-8", "depth"])
def test_a_line_that_is_no_json_is_an_error_and_the_run_goes_on(tmp_path: Path, bad: bytes) -> None:
    status, answers = run(written(tmp_path, bad, json.dumps(GOOD).encode()))
    assert (status, "error" in answers[0], answers[1]["node"]) == (1, True, "a")


def test_a_case_that_can_not_be_read_makes_the_status_one(tmp_path: Path) -> None:
    assert run(written(tmp_path, b"{}")) == (1, [{"error": "request.models: names no model"}])


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(GOOD).encode())))
    assert run("-")[1][0]["outcome"] == "route"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"none\.jsonl: No such file"):
        run(tmp_path / "none.jsonl")
