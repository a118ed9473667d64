"""The admin in a browser's place, against a running server and a simulated node."""

import re
from collections.abc import Iterator
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, build_opener

import pytest

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until

PASSWORD = "open-sesame-1"
MODEL = "qwen2.5:7b"
NODES = "/admin/nodes/node/"


class Browser:
    """Somebody who is signed in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opener: OpenerDirector = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        self.post("/admin/login/", username="admin", password=PASSWORD, next="/admin/")

    def get(self, path: str) -> str:
        """A page, or a file."""
        with self.opener.open(self.url + path, timeout=10) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **fields: str) -> str:
        """The page after a form was sent from that page."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path))
        assert token
        body = urlencode(fields | {"csrfmiddlewaretoken": token[1]}).encode()
        with self.opener.open(self.url + path, body, timeout=15) as answer:
            return str(answer.read().decode())


@pytest.fixture(scope="module")
def engine() -> Iterator[Running]:
    """A node with one model on its disk."""
    with running(SimulatedNode(f"{MODEL}=4.7", Machine(load_gbps=0.0), "", True)) as node:
        yield node


@pytest.fixture(scope="module")
def served(engine: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that knows the node."""
    with routers(tmp_path_factory.mktemp("admin")) as start:
        one = start(FLEET_ADMIN_PASSWORD=PASSWORD)
        one.manage("node", "add", "studio", engine.url, "--memory-gb", "32")
        yield one


@pytest.fixture(scope="module")
def browser(served: Router) -> Browser:
    return Browser(served.url)


def in_memory(served: Router) -> bool:
    """Does the router see the model in the node's memory?"""
    (node,) = served.get("/fleet/api/v1/nodes")["results"]  # type: ignore[index]
    return MODEL in [model["name"] for model in node["resident"]]


def test_every_file_of_a_page_is_served(browser: Browser) -> None:
    files = set(re.findall(r'"(/static/[^"?]+)"', browser.get("/admin/")))
    assert len(files) > 8 and all(browser.get(file) for file in files)


def test_a_model_is_pre_warmed_and_unloaded_from_the_list(browser: Browser, served: Router) -> None:
    until(lambda: "online" in browser.get(NODES))
    act = {"_selected_action": "studio", "chosen": MODEL}
    assert f"{MODEL} on studio: load" in browser.post(NODES, action="prewarm", **act)
    until(lambda: in_memory(served))
    assert f"{MODEL} on studio: unloaded" in browser.post(NODES, action="unload", **act)
    until(lambda: not in_memory(served))


def test_a_pause_is_in_force_in_the_running_server(browser: Browser, served: Router) -> None:
    browser.post(NODES, action="pause", _selected_action="studio")
    until(lambda: served.get("/fleet/api/v1/nodes")["results"][0]["state"] == "paused")  # type: ignore[index]
