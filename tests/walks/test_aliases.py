"""A name that no model has: answered by the model that it stands for, under the name that was asked."""

import json
from collections.abc import Iterator

import pytest

from nodes.simulated import Machine, SimulatedNode
from nodes.simulated.thread import running
from tests.conftest import Router, routers, until
from tests.walks.calls import DIALECTS, GENERATING, Answer, Call, asking, post

ALIAS = "claude-sonnet-4-5"


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router, an Ollama, a llama.cpp, and an alias of a model on each."""
    with (
        routers(tmp_path_factory.mktemp("aliases")) as start,
        running(SimulatedNode("qwen2.5:7b=1,phi4=1")) as studio,
        running(SimulatedNode("llama-cpp=1", Machine(engine="openai"))) as cpp,
    ):
        one = start()
        one.manage("node", "add", "studio", studio.url)
        one.manage("node", "add", "cpp", cpp.url, "--engine", "openai")
        token = {"Authorization": f"Bearer {one.token}", "Content-Type": "application/json"}
        for name, model, instead in (
            (ALIAS, "qwen2.5:7b", []),
            ("cpp", "llama-cpp", []),
            ("gone", "nobody-has-it", ["phi4"]),
            ("lost", "nobody-has-it", []),
        ):
            body = json.dumps({"name": name, "target": model, "fallbacks": instead}).encode()
            assert post(one.url, "/fleet/api/v1/aliases", body, token).status == 201
        until(lambda: {ALIAS, "cpp", "gone"} <= set(names(one)))
        yield one


def names(router: Router) -> list[str]:
    """What `/api/tags` lists."""
    listed = router.get("/api/tags")
    assert isinstance(listed, dict)
    return [entry["name"] for entry in listed["models"]]


def ask(router: Router, path: str, name: str, stream: bool) -> Answer:
    return post(router.url, path, asking(path, name, stream=stream))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", GENERATING)
def test_the_answer_has_the_name_that_was_asked_and_the_header_tells_the_truth(
    router: Router, path: str, stream: bool
) -> None:
    answer = ask(router, path, ALIAS, stream)
    assert (answer.status, answer.headers["x-fleet-served-model"]) == (200, "qwen2.5:7b")
    assert answer.headers["x-fleet-fallback"] == "false"
    assert b"qwen2.5" not in answer.body and b'"model":"%s"' % ALIAS.encode() in answer.body


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", DIALECTS[1:])
def test_so_it_has_from_an_engine_that_speaks_of_its_model_in_its_own_way(
    router: Router, path: str, stream: bool
) -> None:
    answer = ask(router, path, "cpp", stream)
    assert answer.status == 200
    assert b'"model":"cpp"' in answer.body and b'"model":"llama-cpp"' not in answer.body


def test_any_other_answer_is_not_touched(router: Router) -> None:
    assert b'"model":"qwen2.5:7b"' in ask(router, "/v1/chat/completions", "qwen2.5:7b", True).body


def test_an_aliass_fallback_is_taken_and_told(router: Router) -> None:
    answer = ask(router, "/v1/messages", "gone", False)
    assert (answer.headers["x-fleet-served-model"], answer.headers["x-fleet-fallback"]) == ("phi4:latest", "true")
    assert answer.json()["model"] == "gone"


def test_an_alias_of_nothing_is_an_unknown_model_by_its_own_name(router: Router) -> None:
    answer = ask(router, "/v1/messages", "lost", False)
    assert (answer.status, answer.error) == (404, "model 'nobody-has-it:latest' not found")


def test_an_alias_is_listed_in_every_dialect(router: Router) -> None:
    asked = {"anthropic-version": "2023-06-01"}
    openai = Call(router.url, "/v1/models", b"", {}, "GET").answer().json()["data"]
    anthropic = Call(router.url, "/v1/models", b"", asked, "GET").answer().json()["data"]
    assert all(ALIAS in [entry["id"] for entry in listed] for listed in (openai, anthropic))
    assert ALIAS in names(router)


def test_an_alias_can_be_shown(router: Router) -> None:
    answer = post(router.url, "/api/show", json.dumps({"model": ALIAS}).encode())
    assert (answer.status, "tools" in answer.json()["capabilities"]) == (200, True)
