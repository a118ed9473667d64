"""Whatever comes, the answer is HTTP, in words, and one decision; the seed makes each run the same."""

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import running
from routing.protocols import PROTOCOLS
from tests.conftest import Router, routers, until
from tests.walks.doors_asking import Asker, add, asking, raw, results

SEED = 20_260_101
MODELS = (
    "phi4",
    "PHI4:latest",
    "mistral-small",
    "all-minilm",
    "nope",
    "",
    " phi4",
    "phi4:",
    "a/b/c:d",
    "\u202e\n",
    None,
    7,
)
TEXTS = ("", "Hi", "\0", "é" * 50, "\ud83d\ude00", "x" * 3000, "true", "data: [DONE]\n\n", '{"done":true}')
PLAIN: tuple[object, ...] = (None, True, False, 0, -1, 3, 2.5, 1e300, -1e-300, 2**63, 10**25)
NAMES = (
    *("messages", "prompt", "input", "stream", "options", "tools", "images", "format", "keep_alive", "system", "raw"),
    *("fallback_models", "metadata", "max_tokens", "stop", "seed", "n", "user", "stream_options", "prompt_cache_key"),
    *("suffix", "think", "template", "context", "truncate", "encoding_format", "tool_choice", "model", "\0", ""),
)
HEADERS = (
    *("X-Fleet-Tags", "X-Herd-Tags", "X-Fleet-Session", "Content-Type", "Accept", "Accept-Encoding", "Cookie"),
    *("X-Api-Key", "Authorization", "User-Agent", "Range", "If-None-Match", "Te", "Via", "Pragma", "X-Request-Id"),
)
HEADER_VALUES = (
    "",
    ",",
    ",,,",
    "a,b",
    "Bearer",
    "Bearer x y",
    "Basic eA==",
    "gzip",
    "\xe9\xff",
    "x" * 5000,
    "session:",
)


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that holds nobody for long, with an Ollama and an OpenAI engine."""
    with ExitStack() as stack:
        start = stack.enter_context(routers(tmp_path_factory.mktemp("fuzz")))
        plain = stack.enter_context(running(SimulatedNode("phi4=9.1,all-minilm=0.05", Machine(parallel=4))))
        other = stack.enter_context(running(SimulatedNode("mistral-small=14", Machine(engine="openai"))))
        router = start(FLEET_HOLD_TIMEOUT="0.2", FLEET_MAX_BODY_MB="0.02", FLEET_CIRCUIT_FAILURES="100")
        add(router, ("plain", plain.url, "ollama"), ("other", other.url, "openai"))
        yield router
        assert "Traceback" not in router.stderr and "ERROR" not in router.stderr


@pytest.fixture
def asker(router: Router) -> Iterator[Asker]:
    """A client."""
    with asking(router) as asker:
        yield asker


def value(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    kind = chance.randrange(6 if depth < 4 else 4)
    if kind < 2:
        return chance.choice(PLAIN)
    if kind < 4:
        return chance.choice(TEXTS)
    several = range(chance.randrange(4))
    if kind == 4:
        return [value(chance, depth + 1) for _ in several]
    return {chance.choice((*NAMES, "role", "content", "type", "text")): value(chance, depth + 1) for _ in several}


def conversation(chance: random.Random) -> dict[str, Any]:
    """A good body, spoilt in up to three places."""
    good: dict[str, Any] = {
        "model": "phi4",
        "messages": [{"role": "user", "content": "Hi"}],
        "prompt": "Hi",
        "input": "Hi",
    }
    good |= {"model": chance.choice(MODELS) if chance.random() < 0.6 else "phi4", "stream": chance.random() < 0.3}
    good |= {chance.choice(NAMES): value(chance) for _ in range(chance.randrange(3))}
    if isinstance(good.get("max_tokens"), int):
        good["max_tokens"] = min(good["max_tokens"], 50)  # the simulated engine would really speak that long
    return {name: given for name, given in good.items() if chance.random() > 0.03}


def spoilt(chance: random.Random, content: bytes) -> bytes:
    """The same with some bytes changed, lost or added, or cut."""
    changed = bytearray(content)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(changed) + 1)
        changed[at : at + chance.randrange(2)] = chance.choice((b"", b"\0", b"\xff", b"{", b'"', b"[", b",", b"1"))
    return bytes(changed[: chance.randrange(len(changed) + 1)] if chance.random() < 0.2 else changed)


def headers(chance: random.Random) -> dict[str, str]:
    """Up to three headers that mean something, with values that mostly don't."""
    return {chance.choice(HEADERS): chance.choice(HEADER_VALUES) for _ in range(chance.randrange(4))}


def test_whatever_is_posted_for_inference_is_answered_in_words_and_one_decision(router: Router, asker: Asker) -> None:
    chance, paths, made = random.Random(SEED), sorted(PROTOCOLS), set()
    answered = 0
    for _ in range(400):
        content = json.dumps(conversation(chance)).encode()
        body = spoilt(chance, content) if chance.random() < 0.3 else content
        path = chance.choice(paths)
        reply = asker.post(path, body, **headers(chance))
        made.add(reply.decision)
        answered += reply.status == 200
        assert b"internal error" not in reply.body, (path, body)
        assert reply.status == 200 or reply.error, (path, body, reply)
    assert len(made) == 400 and answered > 40
    known = {row["id"]: row for row in results(router, "decisions?limit=1000")}
    assert made == set(known)
    assert all(row["outcome"] for row in known.values())


def test_whatever_path_and_method_is_asked_is_answered(asker: Asker) -> None:
    chance = random.Random(SEED)
    pieces = ("", "api", "v1", "chat", "models", "tags", "..", ".", "%00", "%ff", "%2e%2e", "é", "a b", "?x=1", "fleet")
    for _ in range(300):
        path = "/" + "/".join(chance.choice(pieces) for _ in range(chance.randrange(5)))
        method = chance.choice(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"))
        quoted = path.replace(" ", "%20").encode().decode("latin-1").replace("Ã©", "%C3%A9")
        reply = asker.ask(method, quoted, b"{}", **headers(chance))
        assert reply.status < 500, (method, quoted, reply)


def test_whatever_bytes_come_the_server_goes_on(router: Router, asker: Asker) -> None:
    chance = random.Random(SEED)
    for _ in range(150):
        content = json.dumps(conversation(chance)).encode()
        head = (
            f"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\nX-Fleet-Tags: a\r\n\r\n"
        )
        said = raw(router, spoilt(chance, head.encode()) + content, leaves=True)
        assert said == b"" or said.startswith(b"HTTP/1.")
    assert asker.get("/api/version").status == 200
    until(lambda: not any(q["in_flight"] or q["pending"] for q in results(router, "queues")))
