"""What README.md tells a newcomer to type does what it says."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request

import pytest

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import running
from tests.conftest import ROOT, Router, opener, until

README = (ROOT / "README.md").read_text()
HERE = "http://127.0.0.1:11435"  # where README's router listens
NODES = {"studio": "http://192.168.1.20:11434", "tower": "http://192.168.1.21:8080"}
MODEL = "qwen2.5:7b"
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here to run README's curl with")


def said(beginning: str) -> str:
    """The one command of README, in a block or in a table, that begins so."""
    found = [line.strip() for line in re.split(r"[`\n]", README) if line.strip().startswith(beginning)]
    assert len(found) == 1, f"{len(found)} commands of README begin with {beginning!r}"
    return found[0]


def run(router: Router, command: str, typed: str = "") -> str:
    """What a command of README prints, with this router and these nodes in place of README's."""
    for theirs, ours in ((HERE, router.url), (".venv/bin/python", sys.executable), ("--data-dir data", "")):
        command = command.replace(theirs, ours)
    env, words = {**router.env, "FLEET_DATA_DIR": str(router.data)}, ["bash", "-c", command]
    done = subprocess.run(words, cwd=ROOT, env=env, input=typed, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def router(module_router: Router) -> Iterator[Router]:
    """A router with README's two nodes."""
    engines = {
        "studio": SimulatedNode(f"{MODEL}=4.7"),
        "tower": SimulatedNode(f"{MODEL}=4.7", Machine(engine="openai")),
    }
    with running(engines["studio"]) as studio, running(engines["tower"]) as tower:
        urls = {"studio": studio.url, "tower": tower.url}
        for name, url in urls.items():
            command = said(f".venv/bin/python manage.py node add {name}")
            assert NODES[name] in command
            run(module_router, command.replace(NODES[name], url))
        until(lambda: run(module_router, said(".venv/bin/python manage.py node list")).count("online") == len(urls))
        yield module_router


@needs_curl
def test_the_first_curl_is_answered(router: Router) -> None:
    assert '"done":true' in run(router, said(f"curl {HERE}/api/chat"))


@needs_curl
def test_the_decision_of_an_answer_tells_its_reasons(router: Router) -> None:
    headers = run(router, said(f"curl {HERE}/api/chat").replace("curl", "curl -i"))
    number = re.search(r"(?im)^x-fleet-decision: (\w+)", headers)
    assert number
    shown = run(router, said(f"curl {HERE}/fleet/api/v1/decisions/ID").replace("/ID", f"/{number[1]}"))
    assert '"signals"' in shown


@needs_curl
def test_readiness_is_told(router: Router) -> None:
    assert run(router, said(f"curl {HERE}/readyz")) == '{"ready":true}'


def test_the_first_call_of_openais_client_is_answered(router: Router, tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    script = tmp_path / "first.py"
    script.write_text(code[1].replace(HERE, router.url))
    assert run(router, f".venv/bin/python {script}").strip()


def test_the_password_is_reset(router: Router) -> None:
    command = said(".venv/bin/python manage.py changepassword admin")
    assert "successfully" in run(router, command, typed="a-New-pass-1\n" * 2)


def test_a_key_is_given_to_somebody(router: Router) -> None:
    assert run(router, said(".venv/bin/python manage.py key create NAME")).startswith("fl-")


def test_a_machine_is_taken_out_of_use(router: Router) -> None:
    drain = said(".venv/bin/python manage.py node drain NAME --wait").replace("NAME", "tower")
    assert "tower: draining" in run(router, drain)


def test_every_page_that_it_names_exists() -> None:
    assert [page for page in re.findall(r"\]\(([^)#:]+)\)", README) if not (ROOT / page).exists()] == []


def test_every_make_target_that_it_names_exists() -> None:
    targets = set(re.findall(r"\bmake (\w+)", README))
    makefile = (ROOT / "Makefile").read_text()
    assert {target for target in targets if not re.search(rf"(?m)^{target}:", makefile)} == set()


def test_a_browser_that_opens_the_router_lands_on_the_live_dashboard(router: Router) -> None:
    assert f"{HERE}/fleet/" in README
    with opener.open(Request(router.url, headers={"Accept": "text/html"}), timeout=10) as page:
        assert page.url == f"{router.url}/fleet/" and b"<title>" in page.read()
