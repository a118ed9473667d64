"""Bad requests: an error in the caller's dialect with the engine's words, one decision, a connection that goes on."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import running
from tests.conftest import Router, routers, until
from tests.walks.doors_asking import Asker, Reply, add, asking, decision, raw, results

OLLAMA = ("/api/chat", "/api/generate", "/api/embed", "/api/embeddings")
OPENAI = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings")
POSTS = (*OLLAMA, *OPENAI)
GOOD: dict[str, Any] = {"model": "phi4", "messages": [{"role": "user", "content": "Hi"}], "prompt": "Hi", "input": "Hi"}
LIMIT = 20_000  # bytes


def deep(levels: int) -> str:
    """A list in a list in a list …"""
    return "[" * levels + "]" * levels


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router with one node and a small limit for bodies."""
    with routers(tmp_path_factory.mktemp("bad")) as start, running(SimulatedNode("phi4=9.1", Machine())) as node:
        router = start(FLEET_MAX_BODY_MB=str(LIMIT / 1e6))
        add(router, ("studio", node.url, "ollama"))
        yield router
        assert "Traceback" not in router.stderr
        assert "ERROR" not in router.stderr


@pytest.fixture
def asker(router: Router) -> Iterator[Asker]:
    """A client whose connection still works when the test is over."""
    with asking(router) as asker:
        yield asker
        port = asker.port
        assert asker.get("/api/version").status == 200
        assert asker.port == port


def body(**fields: object) -> str:
    """The good body with other fields."""
    return json.dumps(GOOD | fields)


def in_form(path: str, reply: Reply) -> bool:
    """Is it the error of this path's dialect, whole and of the right type?"""
    said, json_type = reply.json(), reply.headers["content-type"].startswith("application/json")
    if path in OLLAMA:
        return json_type and list(said) == ["error"] and isinstance(said["error"], str)
    return json_type and list(said["error"]) == ["message", "type", "param", "code"]


# What is wrong everywhere: body, status, outcome, the engine's words in the error.
BODIES: Mapping[str, tuple[str | bytes, str]] = {
    "no body": (b"", "missing request body"),
    "blank": (b" \n ", "missing request body"),
    "no JSON": ("bad", "invalid character 'b' looking for beginning of value"),
    "half JSON": ('{"model":', "unexpected end of JSON input"),
    "two values": ('{"model":"phi4"}{}', "invalid character '{' at position 16"),
    "array": ("[]", "cannot unmarshal array"),
    "text": ('"phi4"', "cannot unmarshal string"),
    "null": ("null", "cannot unmarshal null"),
    "no UTF-8": (b'{"model":"\xff"}', "not valid UTF-8"),
    "half a surrogate": ('{"model":"\\ud800"}', "surrogate"),
    "NUL in a text": (b'{"model":"a\0b"}', "position 11"),
    "NUL after it": (b'{"model":"phi4"}\0', "position 16"),
    "number too large": ('{"model":"phi4","seed":1e999}', "infinity"),
    "too deep to read": (f'{{"model":"phi4","x":{deep(3000)}}}', "depth"),
    "model of a wrong type": (body(model=4), "cannot unmarshal number into field model of type string"),
    "stream of a wrong type": (body(stream="yes"), "cannot unmarshal string into field stream of type bool"),
    "messages of a wrong type": (body(messages="Hi"), "cannot unmarshal string into field messages of type array"),
    "a message of a wrong type": (body(messages=["Hi"]), "cannot unmarshal string into field messages of type object"),
    "tools of a wrong type": (body(tools=[1]), "cannot unmarshal number into field tools of type object"),
    "options of a wrong type": (body(options=[]), "cannot unmarshal array into field options of type object"),
    "fallbacks of a wrong type": (body(fallback_models="phi4"), "into field fallback_models of type array"),
    "a fallback of a wrong type": (body(fallback_models=[None]), "cannot unmarshal null into field fallback_models"),
}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("wrong", BODIES)
def test_a_bad_body_is_refused_in_the_engines_words(asker: Asker, path: str, wrong: str) -> None:
    content, words = BODIES[wrong]
    reply = asker.post(path, content)
    assert (reply.status, words in reply.error, in_form(path, reply)) == (400, True, True), reply.body


@pytest.mark.parametrize("wrong", BODIES)
def test_a_bad_body_is_one_invalid_decision(router: Router, asker: Asker, wrong: str) -> None:
    made = decision(router, asker.post("/api/chat", BODIES[wrong][0]).decision)
    assert (made["outcome"], made["status"], bool(made["reason"])) == ("invalid", 400, True)


MISSING = {"/api/generate": (404, "model '' not found"), "/api/embed": (404, "model '' not found")}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("model", [None, "", "  "])
def test_a_missing_model_is_told_as_the_engine_tells_it(asker: Asker, path: str, model: str | None) -> None:
    reply = asker.post(path, body(model=model))
    assert (reply.status, reply.error) == MISSING.get(path, (400, "model is required"))


NOT_FOUND = dict.fromkeys(OLLAMA[2:], 'model "nope" not found, try pulling it first')


@pytest.mark.parametrize("path", POSTS)
def test_an_unknown_model_is_told_as_the_engine_tells_it(router: Router, asker: Asker, path: str) -> None:
    reply = asker.post(path, body(model="nope"))
    assert (reply.status, reply.error) == (404, NOT_FOUND.get(path, "model 'nope' not found"))
    assert (in_form(path, reply), decision(router, reply.decision)["outcome"]) == (True, "unknown_model")


@pytest.mark.parametrize("name", ["x" * 10_000, "a\nb", "\0", "‮née", "../../etc", "a:b:c", "https://x/y"])
def test_a_strange_model_name_is_merely_unknown(asker: Asker, name: str) -> None:
    assert asker.post("/v1/chat/completions", body(model=name)).status in (400, 404)


WRONG_TYPES: Mapping[str, dict[str, object]] = {
    "/api/generate": {"images": "x", "system": 1, "prompt": []},
    "/api/embed": {"input": 5},
    "/api/embeddings": {"prompt": 5, "input": None},
    "/v1/chat/completions": {"max_tokens": 1.5, "max_completion_tokens": "9", "prompt_cache_key": 1},
    "/v1/completions": {"prompt": 5, "max_tokens": []},
    "/v1/embeddings": {"input": {}},
}


@pytest.mark.parametrize(
    ("path", "field"),
    [(p, f) for p, fields in WRONG_TYPES.items() for f in fields if f != "input" or p != "/api/embeddings"],
)
def test_a_field_of_a_wrong_type_is_named(asker: Asker, path: str, field: str) -> None:
    reply = asker.post(path, GOOD | WRONG_TYPES[path])
    first = next(f for f in WRONG_TYPES[path] if f"field {f} " in reply.error)
    assert (reply.status, first in WRONG_TYPES[path]) == (400, True)


def test_a_chat_without_messages_is_told_as_ollama_tells_it(asker: Asker) -> None:
    reply = asker.post("/v1/chat/completions", {"model": "phi4", "messages": []})
    assert (reply.status, reply.error) == (400, "[] is too short - 'messages'")


def test_enormous_numbers_are_one_decision_as_any(router: Router, asker: Asker) -> None:
    options = {"num_ctx": 2**31 - 1, "num_predict": -(10**30), "seed": 2**63}
    reply = asker.post("/api/chat", GOOD | {"options": options, "stream": False})
    assert decision(router, reply.decision)["status"] == reply.status


def test_an_embedding_of_a_chat_model_is_an_impossible_need(router: Router, asker: Asker) -> None:
    reply = asker.post("/v1/embeddings", body())
    assert (reply.status, "does not support embeddings" in reply.error) == (400, True)
    assert decision(router, reply.decision)["outcome"] == "invalid"


def test_fallbacks_that_are_unknown_leave_the_primary(asker: Asker) -> None:
    reply = asker.post("/api/chat", GOOD | {"fallback_models": ["nope", ""], "stream": False})
    assert (reply.status, reply.headers["x-fleet-served-model"]) == (200, "phi4:latest")


DEEP: Mapping[str, str] = {  # what each path reads to its end
    "/api/chat": '"tools":[{"x":%s}]',
    "/api/embed": '"input":[%s]',
    "/v1/chat/completions": '"tools":[{"x":%s}]',
    "/v1/completions": '"prompt":[%s]',
    "/v1/embeddings": '"input":[%s]',
}


@pytest.mark.parametrize("path", DEEP)
def test_what_is_too_deep_to_be_walked_is_refused_in_words(asker: Asker, path: str) -> None:
    reply = asker.post(path, f"{body()[:-1]},{DEEP[path] % deep(1000)}}}")
    assert (reply.status, "depth" in reply.error, in_form(path, reply)) == (400, True, True)


def test_a_deep_body_that_only_passes_through_is_served(asker: Asker) -> None:
    content = body(stream=False)[:-1] + f',"x":{deep(200)}}}'
    assert asker.post("/api/chat", content).status == 200


def test_a_deep_body_that_must_be_written_anew_is_refused_in_words(router: Router, asker: Asker) -> None:
    reply = asker.post("/api/chat", body(fallback_models=["phi4"])[:-1] + f',"x":{deep(500)}}}')
    assert (reply.status, "depth" in reply.error) == (400, True)
    assert decision(router, reply.decision)["outcome"] == "invalid"
    assert not results(router, "queues") or not any(q["in_flight"] for q in results(router, "queues"))


def test_more_tags_than_twenty_and_long_ones_are_cut(router: Router, asker: Asker) -> None:
    named = ",".join(["x" * 500, *(f"t{n}" for n in range(50))])
    reply = asker.post("/api/chat", GOOD | {"stream": False}, x_fleet_tags=named)
    tags = decision(router, reply.decision)["tags"]
    assert (len(tags), max(map(len, tags))) == (20, 100)


@pytest.mark.parametrize("path", POSTS)
def test_a_body_over_the_limit_is_413(router: Router, asker: Asker, path: str) -> None:
    reply = asker.post(path, body(prompt="x" * LIMIT))
    assert (reply.status, "FLEET_MAX_BODY_MB" in reply.error, in_form(path, reply)) == (413, True, True)
    assert decision(router, reply.decision)["outcome"] == "invalid"


def test_a_body_in_chunks_over_the_limit_is_413(router: Router, asker: Asker) -> None:
    reply = asker.post("/api/chat", (b"x" * 1000 for _ in range(LIMIT // 1000 + 5)))
    assert (reply.status, decision(router, reply.decision)["outcome"]) == (413, "invalid")


def test_a_body_in_chunks_within_the_limit_is_served(asker: Asker) -> None:
    content = body(stream=False).encode()
    assert asker.post("/api/chat", (content[i : i + 7] for i in range(0, len(content), 7))).status == 200


@pytest.mark.parametrize("path", ["/admin/login/", "/fleet/api/v1/explain", "/nowhere"])
def test_what_django_answers_takes_no_more(asker: Asker, path: str) -> None:
    whole, chunked = body(prompt="x" * LIMIT), (b"x" * 1000 for _ in range(LIMIT // 1000 + 5))
    replies = [asker.post(path, content, Content_Type="application/json") for content in (whole, chunked)]
    assert [(reply.status, "FLEET_MAX_BODY_MB" in reply.json()["detail"]) for reply in replies] == [(413, True)] * 2


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_a_wrong_method_is_405_with_what_is_allowed(asker: Asker, path: str, method: str) -> None:
    reply = asker.ask(method, path, body())
    said = reply.body.decode() if path in OLLAMA else reply.error
    assert (reply.status, reply.headers["allow"], "method" in said) == (405, "POST", True)


@pytest.mark.parametrize("path", ["/", "/api/tags", "/api/ps", "/api/version", "/v1/models", "/v1/models/phi4"])
def test_a_listing_can_only_be_read(asker: Asker, path: str) -> None:
    reply = asker.post(path, body())
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_path_is_404_in_the_dialect(asker: Asker, method: str) -> None:
    assert asker.ask(method, "/api/nonsense").body == b"404 page not found"
    assert "/v1/nonsense" in asker.ask(method, "/v1/nonsense").error


def test_head_has_the_headers_of_get_and_no_body(asker: Asker) -> None:
    for path in ("/", "/api/tags", "/v1/models", "/api/nonsense"):
        head, get = asker.ask("HEAD", path), asker.get(path)
        assert (head.body, head.status, head.headers["content-length"]) == (b"", get.status, str(len(get.body)))


POST = b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /api/tags HTTP/1.1\r\nHost: localhost\r\n"
GARBAGE = {
    "no HTTP": b"nonsense\r\n\r\n",
    "a header without a colon": GET + b"nonsense\r\n\r\n",
    "a NUL in a header": GET + b"X: a\0b\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length that is none": POST + b"Content-Length: -5\r\n\r\n{}",
    "a chunk size that is none": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "bytes beyond ASCII in the path": b"GET /api/\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an endless header": GET + b"X: " + b"x" * 200_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_instead_of_http_is_refused_or_cut_off(router: Router, kind: str) -> None:
    said = raw(router, GARBAGE[kind], leaves=True)
    assert said == b"" or said.startswith((b"HTTP/1.1 4", b"HTTP/1.1 200"))


def test_bytes_beyond_ascii_in_headers_are_no_trouble(router: Router) -> None:
    content = body(stream=False).encode()
    lines = (
        b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nX-Fleet-Tags: \xff\xfe,\xc3\xa9\r\nX-Fleet-Session: \xff\r\n"
        b"X-Other: \xe4\xff\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    )
    assert raw(router, lines % len(content) + content).startswith(b"HTTP/1.1 200")


def test_a_client_that_leaves_within_its_body_is_one_decision(router: Router) -> None:
    gone = "decisions?limit=1000&outcome=client_gone"
    before = len(results(router, gone))
    raw(router, b'POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"model"', leaves=True)
    until(lambda: len(results(router, gone)) == before + 1)


def test_two_hosts_are_no_host(router: Router) -> None:
    said = raw(router, b"GET /api/tags HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 403")
