"""Models pulled, copied, made, pushed and deleted through the router, told as Ollama tells it."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import ollama
import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.walks.calls import Call
from tests.walks.doors_asking import Asker, Reply, asking, results

REGISTRY = ",".join(f"pull-{n}=1" for n in range(20))
HI = [{"role": "user", "content": "Hi"}]
KEPT = "kept:1"


class Fleet:
    """A router, two machines, a model server."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        def node(models: str, engine: str = "ollama") -> Running:
            return stack.enter_context(running(SimulatedNode(models, Machine(engine), REGISTRY)))

        self.large = node(f"{KEPT}=1,both=1,spare=1,doomed=1,large-only=1")
        self.small = node("both=1,spare=1,doomed=1")
        self.server = node("served=1", "openai")
        self.router: Router = stack.enter_context(routers(folder))()
        self.router.manage("node", "add", "large", self.large.url, "--memory-gb", "64")
        self.router.manage("node", "add", "small", self.small.url, "--memory-gb", "16")
        self.router.manage("node", "add", "server", self.server.url, "--engine", "openai")
        until(lambda: sum(bool(node["on_disk"]) for node in results(self.router, "nodes")) == 3)
        for name, pull in (("puller", ["--pull"]), ("asker", [])):
            setattr(self, name, self.router.manage("key", "create", name, *pull).stdout.split()[-1])

    puller: str
    asker: str

    def heal(self) -> None:
        """Nothing hangs."""
        for one in (self.large, self.small):
            one.do(one.node.faults.heal)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One fleet for all."""
    with ExitStack() as stack:
        fleet = Fleet(tmp_path_factory.mktemp("management"), stack)
        yield fleet
        fleet.heal()
        assert "Traceback" not in fleet.router.stderr


@pytest.fixture
def asker(fleet: Fleet) -> Iterator[Asker]:
    """A client; whatever it made hang goes on."""
    with asking(fleet.router) as asker:
        yield asker
    fleet.heal()


def lines(answer: Reply) -> list[dict[str, object]]:
    """The objects of a stream of lines."""
    return [json.loads(line) for line in answer.body.splitlines()]


def on_disk(one: Running) -> set[str]:
    """What this machine has."""
    return {name.removesuffix(":latest") for name in one.node.engine.files}


def pulls(one: Running) -> int:
    """How often this machine was told to pull."""
    return one.node.seen.requests["/api/pull"]


def test_a_pull_goes_to_the_node_with_the_most_memory_and_tells_its_progress(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/pull", {"model": "pull-0"})
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert (lines(answer)[0], lines(answer)[-1]) == ({"status": "pulling manifest"}, {"status": "success"})
    assert ("pull-0" in on_disk(fleet.large), "pull-0" in on_disk(fleet.small)) == (True, False)


def test_what_was_pulled_can_be_asked_at_once(asker: Asker) -> None:
    asker.post("/api/pull", {"model": "pull-1"})
    assert "pull-1:latest" in {model["name"] for model in asker.get("/api/tags").json()["models"]}


def test_a_pull_that_is_not_streamed_has_its_last_word(asker: Asker) -> None:
    answer = asker.post("/api/pull", {"name": "pull-2", "stream": False})
    assert (answer.status, answer.json()) == (200, {"status": "success"})


def test_a_node_that_is_named_gets_the_model_and_not_the_name(fleet: Fleet, asker: Asker) -> None:
    asker.post("/api/pull", {"model": "pull-3", "node": "small", "insecure": True})
    assert ("pull-3" in on_disk(fleet.large), "pull-3" in on_disk(fleet.small)) == (False, True)
    assert fleet.small.node.seen.bodies("/api/pull")[-1] == {"model": "pull-3", "stream": True, "insecure": True}


def test_a_second_pull_goes_to_a_node_that_lacks_the_model(fleet: Fleet, asker: Asker) -> None:
    for _ in range(2):
        asker.post("/api/pull", {"model": "pull-4"})
    assert "pull-4" in on_disk(fleet.small)


def test_a_model_that_the_registry_does_not_know_is_an_error_after_200(asker: Asker) -> None:
    answer = asker.post("/api/pull", {"model": "nope"})
    assert (answer.status, lines(answer)[-1]) == (200, {"error": "pull model manifest: file does not exist"})


def test_an_unstreamed_pull_of_what_the_registry_does_not_know_is_a_500(asker: Asker) -> None:
    answer = asker.post("/api/pull", {"model": "nope", "stream": False})
    assert (answer.status, answer.error) == (500, "pull model manifest: file does not exist")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"model": ""}, 400, "invalid model name"),
        ({"model": "pull-5", "node": "nope"}, 404, "there is no node 'nope'; nodes: large, small, server"),
        (
            {"model": "pull-5", "node": "server"},
            400,
            "server is no Ollama: what it serves is set where it is started",
        ),
        ({"model": "deepseek-r1:671b"}, 400, "no node can hold deepseek-r1:671b"),
    ],
)
def test_a_pull_that_can_not_be_is_refused_with_its_reason(
    asker: Asker, body: dict[str, object], status: int, words: str
) -> None:
    answer = asker.post("/api/pull", body)
    assert (answer.status, answer.error.startswith(words)) == (status, True)


def test_two_who_pull_the_same_share_one_pull(fleet: Fleet, asker: Asker) -> None:
    before = pulls(fleet.large)
    fleet.large.do(fleet.large.node.faults.hang)
    first = Call(fleet.router.url, "/api/pull", b'{"model": "pull-6"}')
    assert json.loads(first.line()) == {"status": "pulling manifest"}
    second = Call(fleet.router.url, "/api/pull", b'{"model": "pull-6", "stream": true}')
    assert json.loads(second.line()) == {"status": "pulling manifest"}
    fleet.heal()
    ends = [answer.body.splitlines()[-1] for answer in (first.answer(), second.answer())]
    assert ([json.loads(end) for end in ends], pulls(fleet.large)) == ([{"status": "success"}] * 2, before + 1)


def test_a_pull_outlives_the_client_that_began_it_while_another_waits(fleet: Fleet, asker: Asker) -> None:
    fleet.large.do(fleet.large.node.faults.hang)
    first = Call(fleet.router.url, "/api/pull", b'{"model": "pull-7"}')
    first.line()
    second = Call(fleet.router.url, "/api/pull", b'{"model": "pull-7"}')
    second.line()
    first.leave()
    fleet.heal()
    assert json.loads(second.answer().body.splitlines()[-1]) == {"status": "success"}


def test_a_pull_that_all_have_left_is_given_up(fleet: Fleet, asker: Asker) -> None:
    fleet.large.do(fleet.large.node.faults.hang)
    only = Call(fleet.router.url, "/api/pull", b'{"model": "pull-8"}')
    only.line()
    only.leave()
    fleet.large.wait_for(lambda: fleet.large.node.seen.cancelled["pull-8:latest"])
    assert "pull-8" not in on_disk(fleet.large)


def test_a_model_is_deleted_from_every_node_that_has_it(fleet: Fleet, asker: Asker) -> None:
    answer = asker.ask("DELETE", "/api/delete", {"model": "doomed"})
    assert (answer.status, answer.body) == (200, b"")
    assert "doomed" not in on_disk(fleet.large) | on_disk(fleet.small)
    assert "doomed:latest" not in {model["name"] for model in asker.get("/api/tags").json()["models"]}


def test_a_model_is_deleted_from_the_one_node_that_is_named(fleet: Fleet, asker: Asker) -> None:
    asker.ask("DELETE", "/api/delete", {"model": "both", "node": "small"})
    assert ("both" in on_disk(fleet.large), "both" in on_disk(fleet.small)) == (True, False)


@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [
        ("DELETE", "/api/delete", {"model": "Nope"}, "model 'Nope' not found"),
        ("POST", "/api/copy", {"source": "Nope", "destination": "b"}, 'model "Nope" not found'),
        ("POST", "/api/push", {"model": "Nope"}, "model 'Nope' not found"),
    ],
)
def test_what_nobody_has_is_not_found_in_ollamas_words(
    asker: Asker, method: str, path: str, body: dict[str, str], words: str
) -> None:
    answer = asker.ask(method, path, body)
    assert (answer.status, answer.error) == (404, words)


def test_what_another_engine_serves_can_not_be_deleted(asker: Asker) -> None:
    answer = asker.ask("DELETE", "/api/delete", {"model": "served"})
    assert (answer.status, "is no Ollama" in answer.error) == (503, True)


def test_a_copy_is_made_wherever_the_source_is(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/copy", {"source": "spare", "destination": "twin"})
    assert (answer.status, answer.body) == (200, b"")
    assert "twin" in on_disk(fleet.large) & on_disk(fleet.small)
    assert asker.post("/api/chat", {"model": "twin", "messages": HI}).status == 200


def test_a_model_is_made_where_its_base_is(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/create", {"model": "made", "from": KEPT, "system": "Be brief."})
    assert (answer.headers["content-type"], lines(answer)[-1]) == ("application/x-ndjson", {"status": "success"})
    assert "made" in on_disk(fleet.large)
    assert asker.post("/api/chat", {"model": "made", "messages": HI}).status == 200


def test_a_model_is_made_from_blobs_that_were_sent_before(fleet: Fleet, asker: Asker) -> None:
    blob = b"GGUF" * 500_000
    digest = f"sha256:{hashlib.sha256(blob).hexdigest()}"
    assert asker.ask("HEAD", f"/api/blobs/{digest}").status == 404
    assert asker.post(f"/api/blobs/{digest}", iter([blob[:999], blob[999:]])).status == 201
    assert asker.ask("HEAD", f"/api/blobs/{digest}").status == 200
    answer = asker.post("/api/create", {"model": "blobbed", "files": {"m.gguf": digest}, "stream": False})
    assert (answer.json(), "blobbed" in on_disk(fleet.large)) == ({"status": "success"}, True)


def test_a_blob_goes_to_the_node_that_is_named(fleet: Fleet, asker: Asker) -> None:
    digest = f"sha256:{hashlib.sha256(b'x').hexdigest()}"
    assert asker.post(f"/api/blobs/{digest}?node=small", b"x").status == 201
    assert [asker.ask("HEAD", f"/api/blobs/{digest}{where}").status for where in ("?node=small", "")] == [200, 404]


def test_a_blob_with_a_wrong_digest_is_refused_in_the_engines_words(asker: Asker) -> None:
    answer = asker.post(f"/api/blobs/sha256:{'0' * 64}", b"x")
    assert (answer.status, answer.error) == (400, "digest mismatch")


def test_a_model_is_pushed_from_a_node_that_has_it(asker: Asker) -> None:
    answer = asker.post("/api/push", {"model": "large-only"})
    assert (answer.status, lines(answer)[-1]) == (200, {"status": "success"})


def test_ollamas_own_client_pulls_copies_and_deletes(fleet: Fleet) -> None:
    client = ollama.Client(fleet.router.url, trust_env=False)
    assert [step.status for step in client.pull("pull-9", stream=True)][-1] == "success"
    client.copy("pull-9", "nine")
    client.delete("nine")
    with pytest.raises(ollama.ResponseError) as gone:
        client.delete("nine")
    assert gone.value.status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/pull", {"model": "pull-10"}),
        ("DELETE", "/api/delete", {"model": KEPT}),
        ("POST", "/api/copy", {"source": KEPT, "destination": "b"}),
        ("POST", "/api/create", {"model": "b", "from": KEPT}),
        ("POST", "/api/push", {"model": KEPT}),
        ("POST", f"/api/blobs/sha256:{'0' * 64}", {}),
    ],
)
def test_a_key_without_the_right_to_pull_changes_no_models(
    fleet: Fleet, asker: Asker, method: str, path: str, body: dict[str, str]
) -> None:
    answer = asker.ask(method, path, body, authorization=f"Bearer {fleet.asker}")
    assert (answer.status, "takes the right to pull" in answer.error) == (403, True)


def test_a_key_with_the_right_to_pull_pulls(fleet: Fleet, asker: Asker) -> None:
    answer = asker.post("/api/pull", {"model": "pull-11"}, authorization=f"Bearer {fleet.puller}")
    assert lines(answer)[-1] == {"status": "success"}


def test_a_wrong_method_is_told_the_right_one(asker: Asker) -> None:
    answer = asker.get("/api/pull")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_what_was_done_to_models_is_in_the_log(fleet: Fleet, asker: Asker) -> None:
    asker.post("/api/pull", {"model": "pull-12"}, authorization=f"Bearer {fleet.puller}")
    until(lambda: "pull of pull-12 onto large, for key puller" in fleet.router.stderr)
