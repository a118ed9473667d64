import os
import subprocess
import sys
from pathlib import Path

import pytest

from fleetsite.management.base import FleetCommand

ROOT = Path(__file__).resolve().parents[3]


class Quiet(FleetCommand):
    """A command that says where it works."""

    needs_database = False
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> str:
        return str(self.directory(options))


def test_a_command_works_on_the_data_directory_it_is_given(tmp_path: Path) -> None:
    options = Quiet().create_parser("manage.py", "quiet").parse_args(["--data-dir", str(tmp_path)])
    assert Quiet().directory(vars(options)) == tmp_path


def test_without_the_option_it_is_the_environments() -> None:
    options = Quiet().create_parser("manage.py", "quiet").parse_args([])
    assert Quiet().directory(vars(options)).is_absolute()


def manage(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command, in a process of its own."""
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [("serve",), ("node", "list"), ("key", "create", "laptop")])
@pytest.mark.parametrize("place", ["/proc/nowhere", "file"])
def test_a_data_directory_that_can_not_be_is_said_in_a_sentence(
    words: tuple[str, ...], place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = manage(*words, "--data-dir", str(tmp_path / place))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "--data-dir" in done.stderr


def test_a_database_that_can_not_be_opened_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "fleet.sqlite3").mkdir()
    done = manage("node", "list", "--data-dir", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n"), str(tmp_path) in done.stderr) == (1, 1, True)


@pytest.mark.parametrize("url", ["mysql://x", "nonsense", "other://x"])
def test_a_database_that_is_not_supported_is_said_in_a_sentence(url: str, tmp_path: Path) -> None:
    done = manage("node", "list", "--data-dir", str(tmp_path), DATABASE_URL=url)
    assert (done.returncode, done.stderr.count("\n"), "postgres://" in done.stderr) == (1, 1, True)


@pytest.mark.parametrize("command", ["node", "key"])
def test_a_list_makes_no_database_where_there_is_none(command: str, tmp_path: Path) -> None:
    done = manage(command, "list", "--data-dir", str(tmp_path / "typo"))
    assert (done.returncode, (tmp_path / "typo").exists()) == (1, False)
    assert f"There is no database in {tmp_path / 'typo'}" in done.stderr


def test_two_that_start_at_once_on_a_new_directory_both_find_their_database(tmp_path: Path) -> None:
    words = [sys.executable, "manage.py", "key", "create", "--data-dir", str(tmp_path)]
    both = [subprocess.Popen([*words, name], cwd=ROOT, stdout=subprocess.PIPE) for name in ("one", "two")]
    assert [(one.communicate()[0][:3], one.returncode) for one in both] == [(b"fl-", 0)] * 2


def test_on_a_fresh_machine_a_command_makes_what_it_needs(tmp_path: Path) -> None:
    environment = {**os.environ, "FLEET_DATA_DIR": str(tmp_path / "new" / "data")}
    words = [sys.executable, "manage.py", "node", "add", "studio", "localhost:11434"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "studio added: http://localhost:11434\n", "")
