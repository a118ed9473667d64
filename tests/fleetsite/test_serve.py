"""`manage.py serve`, in a process of its own."""

import json
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from fleetsite import VERSION
from tests.conftest import Router, RouterFactory, free_port, opener


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_prints_one_line_with_where_it_listens(module_router: Router) -> None:
    kept = json.loads((module_router.data / "server.json").read_text())
    assert module_router.stdout == f"ready {kept['url']}\n"


def test_the_log_says_what_started_and_where_its_data_is(module_router: Router) -> None:
    assert f"fleetsite {VERSION} serves {module_router.url}, data in {module_router.data}\n" in module_router.stderr


def test_it_answers_where_it_says(module_router: Router) -> None:
    assert module_router.get("/healthz") == {"status": "ok"}


def test_all_that_is_secret_is_readable_by_us_alone(module_router: Router) -> None:
    files = [module_router.data / name for name in ("SECRET_KEY", "server.json", "first-start.txt")]
    assert (mode(module_router.data), {mode(file) for file in files}) == (0o700, {0o600})


def test_a_first_start_tells_what_it_made_on_stderr_and_in_its_file(module_router: Router) -> None:
    kept = (module_router.data / "first-start.txt").read_text()
    assert "admin password: " in kept and kept in module_router.stderr


def test_static_files_come_from_the_packages(module_router: Router) -> None:
    with opener.open(f"{module_router.url}/static/admin/css/base.css", timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/css")


def test_a_second_server_on_the_same_data_is_refused(module_router: Router, router: RouterFactory) -> None:
    second = router(data=module_router.data, ready=False)
    assert second.process.wait(60) == 1 and "runs already" in second.stderr and "Traceback" not in second.stderr


def test_the_refused_second_server_leaves_the_first_ones_file_alone(module_router: Router) -> None:
    assert module_router.manage("serve", check=False).returncode == 1
    assert (module_router.data / "server.json").exists()


def test_a_port_in_use_ends_with_a_sentence(module_router: Router, tmp_path: Path) -> None:
    port = module_router.url.rsplit(":", 1)[1]
    words = [*module_router.command("serve", "--port", port)[:-1], str(tmp_path / "other")]
    run = subprocess.run(words, capture_output=True, text=True, env=module_router.env, timeout=60)
    assert run.returncode == 1 and run.stderr.startswith("CommandError: Can't listen") and not run.stdout


@pytest.mark.parametrize("env", [{}, {"FLEET_REDIS_URL": "redis://127.0.0.1:1"}], ids=["alone", "redis"])
def test_several_workers_end_with_2_and_the_reason(env: dict[str, str], router: RouterFactory) -> None:
    several = router("--workers", "2", ready=False, **env)
    assert several.process.wait(60) == 2 and "FLEET_REDIS_URL" in several.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_0_and_no_server_file(number: int, router: RouterFactory) -> None:
    one = router()
    assert (one.stop(number), (one.data / "server.json").exists(), "Traceback" in one.stderr) == (0, False, False)
    assert one.stderr.endswith(": stopped\n")


def test_a_second_start_makes_no_new_credentials(router: RouterFactory) -> None:
    first = router()
    kept = (first.data / "first-start.txt").read_text()
    first.stop()
    second = router(data=first.data)
    assert (second.data / "first-start.txt").read_text() == kept
    assert "admin password" not in second.stderr


def test_a_server_that_was_killed_does_not_stand_in_the_way_of_the_next(router: RouterFactory) -> None:
    first = router()
    first.stop(signal.SIGKILL)
    assert router(data=first.data).get("/healthz") == {"status": "ok"}


def test_what_the_environment_sets_is_said_nowhere(router: RouterFactory) -> None:
    one = router(
        FLEET_ADMIN_PASSWORD="very-secret-1", FLEET_API_KEY="very-secret-2", FLEET_ENROLMENT_TOKEN="very-secret-3"
    )
    assert "very-secret" not in one.stderr + (one.data / "first-start.txt").read_text()


def test_the_port_it_is_given_is_the_port_it_takes(tmp_path: Path, router: RouterFactory) -> None:
    port = free_port()
    one = router("--port", str(port))
    assert one.url == f"http://127.0.0.1:{port}"


def test_listening_everywhere_makes_an_api_key_and_commands_still_find_it(router: RouterFactory) -> None:
    one = router("--host", "0.0.0.0")
    kept = json.loads((one.data / "server.json").read_text())
    assert "API key: " in one.stderr and kept["url"].startswith("http://127.0.0.1:")


def test_a_request_with_a_foreign_host_is_refused(module_router: Router) -> None:
    host, port = module_router.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as plug:
        plug.sendall(b"GET /admin/ HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n")
        assert plug.makefile("rb").readline().split()[1] == b"400"


def test_a_command_changes_what_the_running_server_holds(module_router: Router) -> None:
    module_router.manage("node", "add", "far", "http://127.0.0.1:9")
    rows = module_router.get("/fleet/api/v1/nodes")["results"]  # type: ignore[index]
    assert [row["name"] for row in rows] == ["far"]


def test_djangos_own_commands_take_the_data_directory_too(module_router: Router) -> None:
    assert module_router.manage("migrate", "--check").returncode == 0
