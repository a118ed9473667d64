"""Which database the settings name."""

from pathlib import Path

import pytest

from fleetsite.database import database, file_of
from fleetsite.datadir import Unusable


def test_without_a_url_it_is_a_file_in_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert file_of(database(tmp_path)) == tmp_path / "fleet.sqlite3"


def test_postgres_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db/fleet")
    assert file_of(database(tmp_path)) is None


def test_a_refused_url_is_not_repeated_for_it_may_hold_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://me:secret@db/fleet")
    with pytest.raises(Unusable) as refused:
        database(tmp_path)
    assert "secret" not in str(refused.value)
