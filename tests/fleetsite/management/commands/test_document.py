from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from fleetsite.management.commands import document
from fleetsite.reference import PAGES


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty repository."""
    monkeypatch.setattr(document, "ROOT", tmp_path)
    return tmp_path


def test_what_was_written_is_fresh(root: Path) -> None:
    call_command("document")
    call_command("document", "--check")
    assert {name for name in PAGES if (root / name).exists()} == set(PAGES)


def test_a_stale_document_fails_the_check_and_stays(root: Path) -> None:
    call_command("document")
    (root / "docs/signals.md").write_text("old")
    with pytest.raises(CommandError, match=r"Stale: docs/signals\.md\. Run `make docs`"):
        call_command("document", "--check")
    assert (root / "docs/signals.md").read_text() == "old"
