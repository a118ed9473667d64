import os
import subprocess
import sys
from pathlib import Path

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


def test_on_a_fresh_machine_a_command_makes_what_it_needs(tmp_path: Path) -> None:
    environment = {**os.environ, "FLEET_DATA_DIR": str(tmp_path / "new" / "data")}
    words = [sys.executable, "manage.py", "node", "add", "studio", "localhost:11434"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "studio added: http://localhost:11434\n", "")
