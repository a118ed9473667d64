"""The data directory and the secret in it."""

import fcntl
import stat
from pathlib import Path

import pytest

from fleetsite.datadir import (
    Unusable,
    alone,
    data_dir,
    keep_secret,
    kept_secret,
    make,
    secret_key,
    take_option,
    write_private,
)


@pytest.mark.parametrize("words", [["--data-dir", "/x/y"], ["--data-dir=/x/y"]])
def test_the_option_goes_into_the_environment_and_out_of_the_arguments(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEET_DATA_DIR", "/elsewhere")
    assert take_option(["manage.py", "node", *words, "list"]) == ["manage.py", "node", "list"]
    assert data_dir() == Path("/x/y")


@pytest.mark.parametrize("words", [["--data-dir"], ["--data-dir="]])
def test_the_option_without_a_directory_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit, match="needs a directory"):
        take_option(["manage.py", "serve", *words])


def test_without_option_and_environment_it_is_data_in_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("FLEET_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    assert data_dir() == tmp_path / "data"


def test_a_new_directory_is_ours_alone(tmp_path: Path) -> None:
    make(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_a_kept_secret_stays_the_same(tmp_path: Path) -> None:
    keep_secret(tmp_path, "first")
    keep_secret(tmp_path, "second")
    assert secret_key(tmp_path) == "first"


def test_a_kept_secret_is_readable_by_us_alone(tmp_path: Path) -> None:
    keep_secret(tmp_path, "s")
    assert stat.S_IMODE((tmp_path / "SECRET_KEY").stat().st_mode) == 0o600


def test_an_empty_secret_file_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "SECRET_KEY").write_text("\n")
    keep_secret(tmp_path, "real")
    assert kept_secret(tmp_path) == "real"


def test_without_a_kept_secret_every_process_has_one_of_its_own(tmp_path: Path) -> None:
    assert secret_key(tmp_path) != secret_key(tmp_path)


def test_the_environments_secret_wins_and_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_SECRET_KEY", "given")
    keep_secret(tmp_path, secret_key(tmp_path))
    assert (secret_key(tmp_path), kept_secret(tmp_path)) == ("given", "")


def test_a_private_file_is_never_written_over(tmp_path: Path) -> None:
    write_private(tmp_path / "f", "a")
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "f", "b")


def test_a_directory_that_can_not_be_is_said_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unusable, match="Not a directory"):
        kept_secret(tmp_path / "file")


def test_one_process_at_a_time_is_alone_in_a_directory(tmp_path: Path) -> None:
    with alone(tmp_path), (tmp_path / "lock").open() as other:
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
