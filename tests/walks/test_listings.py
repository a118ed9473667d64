"""What the fleet can serve, told as an engine tells it, whatever the nodes do."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import ollama
import openai
import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.nodes import recorded
from tests.walks.doors_asking import Asker, add, asking, results

LISTS = ("/", "/api/tags", "/api/ps", "/api/version", "/v1/models", "/v1/models/phi4")


class BlackHole:
    """Accepts connections, answers nothing, counts what it was asked."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def _accept(self) -> None:
        try:
            while True:
                self.connections.append(self.listening.accept()[0])
        except OSError:
            return

    def close(self) -> None:
        """Nothing is left of it."""
        self.listening.close()
        for connection in self.connections:
            connection.close()


@contextmanager
def black_hole() -> Iterator[BlackHole]:
    """A machine that is there and silent."""
    hole = BlackHole()
    try:
        yield hole
    finally:
        hole.close()


class Fleet:
    """A router, two machines, a model server, a black hole."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        def node(models: str, **machine: Any) -> Running:
            return stack.enter_context(running(SimulatedNode(models, Machine(**machine))))

        self.studio = node("phi4=9.1,all-minilm=0.05", version="0.40.1")
        self.mini = node("phi4=9.1,qwen2.5:7b=4.7")
        self.server = node("mistral-small=14", engine="openai")
        self.hole = stack.enter_context(black_hole())
        self.router: Router = stack.enter_context(routers(folder))()
        ollamas = (("studio", self.studio.url, "ollama"), ("mini", self.mini.url, "ollama"))
        others = (("server", self.server.url, "openai"), ("hole", self.hole.url, "ollama"))
        add(self.router, *ollamas, *others, silent=1)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One fleet for all."""
    with ExitStack() as stack:
        fleet = Fleet(tmp_path_factory.mktemp("listings"), stack)
        yield fleet
        assert "Traceback" not in fleet.router.stderr


@pytest.fixture
def asker(fleet: Fleet) -> Iterator[Asker]:
    """A client."""
    with asking(fleet.router) as asker:
        yield asker


@pytest.fixture
def loaded(fleet: Fleet, asker: Asker) -> None:
    """One model is in memory, and the router knows it."""
    assert asker.post("/api/chat", {"model": "phi4", "messages": [{"role": "user", "content": "Hi"}]}).status == 200
    until(lambda: len(asker.get("/api/ps").json()["models"]) == 2)


def form(value: Any) -> Any:
    """Keys and types: what clients rely on."""
    if isinstance(value, dict):
        return {key: form(item) for key, item in value.items()}
    return [form(value[0])] if isinstance(value, list) and value else type(value)


def test_tags_have_the_recorded_form(asker: Asker) -> None:
    ours, real = asker.get("/api/tags").json(), recorded.OLLAMA_TAGS
    assert form(ours["models"][0]) == form(real["models"][0])


@pytest.mark.usefixtures("loaded")
def test_what_is_loaded_has_the_recorded_form_and_its_node(asker: Asker) -> None:
    ours = asker.get("/api/ps").json()["models"][0]
    assert form(ours) == form(recorded.OLLAMA_PS["models"][0]) | {"node": str}


@pytest.mark.usefixtures("loaded")
def test_what_is_loaded_is_told_of_every_node(asker: Asker) -> None:
    told = {(m["node"] in ("studio", "mini"), m["name"]) for m in asker.get("/api/ps").json()["models"]}
    assert told == {(True, "phi4:latest"), (False, "mistral-small")}


def test_tags_are_the_union_of_all_nodes_each_once(asker: Asker) -> None:
    names = [m["name"] for m in asker.get("/api/tags").json()["models"]]
    assert names == ["all-minilm:latest", "mistral-small", "phi4:latest", "qwen2.5:7b"]


def test_openais_list_has_the_recorded_form(asker: Asker) -> None:
    listed = asker.get("/v1/models")
    assert listed.headers["content-type"] == "application/json"
    real = {"id": "all-minilm:latest", "object": "model", "created": 1796067810, "owned_by": "library"}
    assert form(listed.json()) == form({"object": "list", "data": [real]})


def test_openais_one_model_is_that_of_the_list(asker: Asker) -> None:
    listed = {m["id"]: m for m in asker.get("/v1/models").json()["data"]}
    assert asker.get("/v1/models/phi4").json() == asker.get("/v1/models/PHI4:latest").json() == listed["phi4:latest"]


def test_openais_unknown_model_is_404_in_its_form(asker: Asker) -> None:
    reply = asker.get("/v1/models/nope")
    assert (reply.status, reply.error) == (404, "model 'nope' not found")


def test_the_version_is_the_lowest_of_the_ollamas(asker: Asker) -> None:
    reply = asker.get("/api/version")
    assert (reply.body, reply.headers["content-type"]) == (b'{"version":"0.32.2"}', "application/json; charset=utf-8")


def test_the_root_answers_as_ollama_and_sends_a_browser_to_its_page(asker: Asker) -> None:
    plain, browser = asker.get("/"), asker.get("/", Accept="text/html,*/*")
    assert (plain.body, plain.headers["content-type"]) == (b"Ollama is running", "text/plain; charset=utf-8")
    assert (browser.status, browser.headers["location"]) == (302, "/fleet/")


def test_head_is_answered_everywhere(asker: Asker) -> None:
    assert [asker.ask("HEAD", path).status for path in LISTS] == [200] * len(LISTS)


def test_show_is_the_engines_own_answer(fleet: Fleet, asker: Asker) -> None:
    shown = asker.post("/api/show", {"model": "qwen2.5:7b"})
    direct = Asker(fleet.mini.url).post("/api/show", {"model": "qwen2.5:7b"})
    assert (shown.status, shown.body) == (200, direct.body)


def test_show_of_an_openai_engines_model_has_what_clients_read(asker: Asker) -> None:
    shown = asker.post("/api/show", {"model": "mistral-small"}).json()
    assert {"modelfile", "details", "model_info", "capabilities"} <= shown.keys()


def test_show_of_an_unknown_model_is_told_as_ollama_tells_it(asker: Asker) -> None:
    reply = asker.post("/api/show", {"model": "nope"})
    assert (reply.status, reply.error) == (404, "model 'nope:latest' not found")


def test_show_of_nothing_is_told_as_ollama_tells_it(asker: Asker) -> None:
    for body, words in (({}, "model is required"), (b"", "missing request body"), ({"model": 1}, "cannot unmarshal")):
        reply = asker.post("/api/show", body)
        assert (reply.status, words in reply.error) == (400, True)


@pytest.mark.usefixtures("loaded")
def test_ollamas_client_lists_and_shows(fleet: Fleet) -> None:
    client = ollama.Client(fleet.router.url)
    assert {m.model for m in client.list().models} >= {"phi4:latest", "qwen2.5:7b", "mistral-small"}
    assert {m.model for m in client.ps().models} == {"phi4:latest", "mistral-small"}
    assert client.show("phi4").details is not None


def test_openais_client_lists_and_retrieves(fleet: Fleet) -> None:
    client = openai.OpenAI(base_url=f"{fleet.router.url}/v1", api_key="none")
    with client:
        assert {m.id for m in client.models.list()} >= {"phi4:latest", "qwen2.5:7b", "mistral-small"}
        assert client.models.retrieve("phi4").object == "model"


def test_lists_are_answered_while_a_node_is_silent(fleet: Fleet, asker: Asker) -> None:
    asked = len(fleet.hole.connections)
    until(lambda: len(fleet.hole.connections) > asked)  # the router waits for it just now
    asker.connection.timeout = 2
    assert [asker.get(path).status for path in LISTS] == [200] * len(LISTS)


def test_lists_are_answered_while_engines_are_at_work_and_requests_wait(fleet: Fleet, asker: Asker) -> None:
    chat = {"messages": [{"role": "user", "content": "Hi"}], "stream": False}
    nodes = (fleet.studio, fleet.mini)
    for node in nodes:
        node.do(node.node.faults.hang)
    with ThreadPoolExecutor(6) as pool:
        bodies = [chat | {"model": model} for model in ("phi4", "qwen2.5:7b") for _ in range(3)]
        asked = [pool.submit(Asker(fleet.router.url).post, "/api/chat", body) for body in bodies]
        until(lambda: sum(q["in_flight"] + q["pending"] for q in results(fleet.router, "queues")) == len(bodies))
        asker.connection.timeout = 2
        statuses = [asker.get(path).status for path in LISTS]
        for node in nodes:
            node.do(node.node.faults.heal)
        assert [one.result(15).status for one in asked] == [200] * len(bodies)
    assert statuses == [200] * len(LISTS)


def test_models_of_a_dead_node_vanish_and_come_back(fleet: Fleet, asker: Asker) -> None:
    def names() -> set[str]:
        return {m["name"] for m in asker.get("/api/tags").json()["models"]}

    port = fleet.mini.node.port
    fleet.mini.do(fleet.mini.node.kill)
    until(lambda: "qwen2.5:7b" not in names())
    assert "phi4:latest" in names()  # another node has it
    assert asker.get("/v1/models/qwen2.5:7b").status == 404
    fleet.mini.do(lambda: fleet.mini.node.start(port))
    until(lambda: "qwen2.5:7b" in names())
