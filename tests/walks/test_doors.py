"""Who may come in: names, pages, keys, proxies."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from nodes.simulated.machine import Machine
from nodes.simulated.server import SimulatedNode
from nodes.simulated.thread import Running, running
from tests.conftest import Router, routers, until
from tests.walks.doors_asking import Asker, Reply, add, asking, decision, results

CHAT = {"model": "phi4", "messages": [{"role": "user", "content": "Hi"}], "stream": False}
OTHER = CHAT | {"model": "qwen2.5:7b"}
V1 = "/v1/chat/completions"
FIRST_KEY = "the-first-key-of-the-tests"
PROXY = "127.0.0.2"  # trusted
IN_FORCE = 4.0  # seconds: the two that are promised, and as many for a busy machine
numbers = count()
PAGE = "https://chat.example.com"


@pytest.fixture(scope="module")
def node() -> Iterator[Running]:
    """One machine with two models."""
    with running(SimulatedNode("phi4=9.1,qwen2.5:7b=4.7", Machine(parallel=4))) as node:
        yield node


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory, node: Running) -> Iterator[Router]:
    """A router on every address, behind a trusted proxy on this machine, with one listed page and one listed name."""
    settings = {
        "FLEET_API_KEY": FIRST_KEY,
        "FLEET_CORS_ORIGINS": PAGE,
        "FLEET_ALLOWED_HOSTS": "fleet.example.com",
        "FLEET_TRUSTED_PROXIES": f"{PROXY}, 10.0.0.0/8",
    }
    with routers(tmp_path_factory.mktemp("doors")) as start:
        router = start("--host", "0.0.0.0", **settings)
        add(router, ("studio", node.url, "ollama"))
        yield router
        assert "Traceback" not in router.stderr


@pytest.fixture
def asker(router: Router) -> Iterator[Asker]:
    """A client on this machine."""
    with asking(router) as asker:
        yield asker


@pytest.fixture
def stranger(router: Router) -> Iterator[Asker]:
    """A client elsewhere, at an address of its own, for which a trusted proxy speaks: it needs a key."""
    with asking(router, PROXY, X_Forwarded_For=f"198.51.100.{next(numbers)}") as asker:
        yield asker


def key(router: Router, name: str, *options: str) -> str:
    """A new key, in force within two seconds."""
    secret = router.manage("key", "create", name, *options).stdout.strip()
    with asking(router, X_Forwarded_For="203.0.113.9", x_api_key=secret) as asker:
        until(lambda: asker.get("/api/version").status == 200, IN_FORCE)
    return secret


def change(router: Router, **parameters: object) -> None:
    """Other parameters, as an operator sets them."""
    with asking(router, Authorization=f"Bearer {router.token}", Content_Type="application/json") as asker:
        assert asker.ask("PATCH", "/fleet/api/v1/parameters", parameters).status == 200


# --- names and pages


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]", "192.168.1.5", "studio.local", "a.internal"])
def test_a_local_name_is_let_in(asker: Asker, host: str) -> None:
    assert asker.get("/api/tags", Host=host).status == 200


def test_a_listed_name_is_let_in(asker: Asker) -> None:
    assert asker.get("/api/tags", Host="fleet.example.com").status == 200


@pytest.mark.parametrize("host", ["x", "ollama", "router:80", "example.com", "8.8.8.8"])
@pytest.mark.parametrize("path", ["/api/chat", V1])
def test_a_foreign_name_is_refused_with_the_remedy(router: Router, stranger: Asker, host: str, path: str) -> None:
    reply = stranger.post(path, CHAT, Host=host)
    assert (reply.status, "FLEET_ALLOWED_HOSTS" in reply.error) == (403, True)
    assert decision(router, reply.decision)["outcome"] == "refused"


@pytest.mark.parametrize(
    "origin", ["https://evil.com", "null", "http://localhost.evil.com", "https://chat.example.com.evil.com"]
)
@pytest.mark.parametrize("path", ["/api/chat", V1])
def test_a_foreign_page_is_refused_with_the_remedy(router: Router, stranger: Asker, origin: str, path: str) -> None:
    reply = stranger.post(path, CHAT, Origin=origin)
    assert (reply.status, "FLEET_CORS_ORIGINS" in reply.error) == (403, True)
    assert "access-control-allow-origin" not in reply.headers
    assert decision(router, reply.decision)["outcome"] == "refused"


def test_a_foreign_page_reads_no_list(asker: Asker) -> None:
    assert asker.get("/api/tags", Origin="https://evil.com").status == 403


@pytest.mark.parametrize(
    "origin", [PAGE, "http://localhost:3000", "http://127.0.0.1", "app://obsidian.md", "http://192.168.1.5:11435"]
)
def test_a_page_of_ours_or_a_listed_one_gets_its_answer(asker: Asker, node: Running, origin: str) -> None:
    reply = asker.post("/api/chat", CHAT, Origin=origin, Host="192.168.1.5:11435")
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, origin)
    assert "origin" not in node.node.seen.received[-1].headers


def test_a_page_reads_its_errors_too(asker: Asker) -> None:
    reply = asker.post("/api/chat", CHAT | {"model": "nope"}, Origin=PAGE)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (404, PAGE)


@pytest.mark.parametrize("path", ["/api/chat", V1, "/api/tags", "/v1/models/phi4"])
def test_a_browsers_preflight_is_answered_without_a_key(stranger: Asker, path: str) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    reply = stranger.ask("OPTIONS", path, None, Origin=PAGE, **asked)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (204, PAGE)
    assert "POST" in reply.headers["access-control-allow-methods"]
    assert "authorization" in reply.headers["access-control-allow-headers"].lower()


def test_a_foreign_pages_preflight_is_refused(asker: Asker) -> None:
    assert asker.ask("OPTIONS", "/api/chat", None, Origin="https://evil.com").status == 403


# --- keys


@pytest.mark.parametrize("path", ["/api/chat", V1])
def test_a_stranger_without_a_key_is_told_how_to_get_one(router: Router, stranger: Asker, path: str) -> None:
    reply = stranger.post(path, CHAT)
    assert (reply.status, "key create" in reply.error, reply.headers["www-authenticate"]) == (401, True, "Bearer")
    assert decision(router, reply.decision)["outcome"] == "refused"


@pytest.mark.parametrize("path", ["/api/tags", "/api/ps", "/api/version", "/v1/models", "/v1/models/x", "/api/x"])
def test_a_stranger_without_a_key_reads_nothing(stranger: Asker, path: str) -> None:
    assert stranger.get(path).status == 401


def test_a_stranger_sees_that_a_server_is_there(stranger: Asker) -> None:
    assert stranger.get("/").body == b"Ollama is running"


SHOWN = ({"Authorization": "Bearer {}"}, {"authorization": "bearer  {}"}, {"x-api-key": "{}"})


@pytest.mark.parametrize("header", SHOWN)
def test_a_key_opens_in_either_header(router: Router, stranger: Asker, header: dict[str, str]) -> None:
    reply = stranger.post(V1, CHAT, **{name: value.format(FIRST_KEY) for name, value in header.items()})
    assert (reply.status, decision(router, reply.decision)["key"]) == (200, "first start")


def test_a_wrong_key_opens_nothing(stranger: Asker) -> None:
    reply = stranger.post(V1, CHAT, x_api_key="fl-wrong")
    assert (reply.status, "not known" in reply.error, reply.json()["error"]["type"]) == (
        401,
        True,
        "authentication_error",
    )


def test_this_machine_needs_no_key_and_may_send_any(asker: Asker) -> None:
    assert asker.post(V1, CHAT, Authorization="Bearer ollama").status == 200


def test_the_engine_never_sees_a_key(stranger: Asker, node: Running) -> None:
    stranger.post(V1, CHAT, Authorization=f"Bearer {FIRST_KEY}", x_api_key=FIRST_KEY)
    received = node.node.seen.received[-1]
    assert FIRST_KEY not in str(received.headers) and "x-forwarded-for" not in received.headers


def test_a_new_key_opens_and_a_revoked_one_closes_within_two_seconds(router: Router, stranger: Asker) -> None:
    secret = key(router, "short-lived")
    router.manage("key", "revoke", "short-lived")
    until(lambda: stranger.post(V1, CHAT, x_api_key=secret).status == 401, IN_FORCE)


def test_a_key_for_one_model_opens_no_other(router: Router, stranger: Asker) -> None:
    stranger.always["x-api-key"] = key(router, "limited", "--models", "phi4")
    fallback = CHAT | {"fallback_models": ["qwen2.5:7b"]}
    assert stranger.post(V1, CHAT).status == 200
    for path, body in (("/api/chat", OTHER), (V1, OTHER), ("/api/chat", fallback), ("/api/show", OTHER)):
        reply = stranger.post(path, body)
        assert (reply.status, "may not use qwen2.5:7b" in reply.error) == (403, True)
    assert decision(router, stranger.post(V1, OTHER).decision)["outcome"] == "refused"
    listed = stranger.get("/api/tags").json()["models"], stranger.get("/v1/models").json()["data"]
    assert [m["name"] for m in listed[0]] == [m["id"] for m in listed[1]] == ["phi4:latest"]
    assert {m["name"] for m in stranger.get("/api/ps").json()["models"]} <= {"phi4:latest"}
    assert stranger.get("/v1/models/qwen2.5:7b").status == 404


def limited(reply: Reply, words: str) -> None:
    """A 429 that says when to come again."""
    assert (reply.status, words in reply.error) == (429, True)
    assert 1 <= int(reply.headers["retry-after"]) <= 60


def test_a_key_at_its_rate_is_told_when_to_come_again(router: Router, stranger: Asker) -> None:
    stranger.always["x-api-key"] = key(router, "slow", "--rpm", "2")
    assert [stranger.post(V1, CHAT).status for _ in range(2)] == [200, 200]
    reply = stranger.post(V1, CHAT)
    limited(reply, "2 requests per minute")
    limited(stranger.post("/api/chat", CHAT), "2 requests per minute")
    assert reply.json()["error"]["type"] == "rate_limit_error"
    assert decision(router, reply.decision)["outcome"] == "refused"


def test_a_key_with_as_many_running_as_it_may_is_told_so(router: Router, stranger: Asker, node: Running) -> None:
    stranger.always["x-api-key"] = key(router, "narrow", "--max-in-flight", "1")
    node.do(node.node.faults.hang)
    with (
        ThreadPoolExecutor(1) as pool,
        asking(router, X_Api_Key=stranger.always["x-api-key"], X_Forwarded_For="1.1.1.1") as other,
    ):
        first = pool.submit(other.post, "/api/chat", CHAT)
        node.wait_for(lambda: node.node.seen.in_flight.now.total())
        limited(stranger.post("/api/chat", CHAT), "1 request running")
        node.do(node.node.faults.heal)
        assert first.result(10).status == 200
    assert stranger.post("/api/chat", CHAT).status == 200


def test_no_key_is_anywhere_in_the_clear(router: Router, stranger: Asker) -> None:
    secret = key(router, "secret")
    reply = stranger.post(V1, CHAT, x_api_key=secret)
    stranger.post(V1, CHAT, x_api_key=f"{secret}-mistyped")
    assert decision(router, reply.decision)["key"] == "secret"
    listed = router.manage("key", "list", "--json").stdout
    kept = b"".join(path.read_bytes() for path in router.data.iterdir() if path.is_file())
    for one in (secret, FIRST_KEY):
        assert one not in listed + router.stderr and one.encode() not in kept


def test_refusals_of_one_address_are_recorded_ten_a_second(router: Router, stranger: Asker) -> None:
    refused = "decisions?outcome=refused&limit=1000"
    before, began = len(results(router, refused)), time.monotonic()
    for _ in range(100):
        assert stranger.post("/api/chat", CHAT).status == 401
    seconds = int(time.monotonic() - began) + 2
    assert 10 <= len(results(router, refused)) - before <= 10 * seconds


def test_keys_can_be_asked_of_everybody_or_of_nobody(router: Router, asker: Asker, stranger: Asker) -> None:
    change(router, FLEET_REQUIRE_API_KEY="always")
    until(lambda: asker.post(V1, CHAT).status == 401, IN_FORCE)
    change(router, FLEET_REQUIRE_API_KEY="never")
    until(lambda: stranger.post(V1, CHAT).status == 200, IN_FORCE)
    change(router, FLEET_REQUIRE_API_KEY=None)
    until(lambda: stranger.post(V1, CHAT).status == 401, IN_FORCE)
    assert asker.post(V1, CHAT).status == 200


# --- proxies


def through_proxy(router: Router, path: str = "/api/tags", **headers: str) -> int:
    """The status of a GET through a proxy, which the router trusts."""
    with asking(router, PROXY, **headers) as asker:
        return asker.get(path).status


@pytest.mark.parametrize("path", ["/api/tags", "/fleet/api/v1/nodes"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Forwarded_For": "127.0.0.1"}, 200),
        ({"Forwarded": 'for="[::1]:4711"'}, 200),
        ({"X_Forwarded_For": "203.0.113.7"}, 401),
        ({"X_Forwarded_For": "127.0.0.1, 203.0.113.7"}, 401),
        ({"Forwarded": "for=127.0.0.1", "X_Forwarded_For": "203.0.113.7"}, 401),
        ({"X_Forwarded_Proto": "https"}, 401),
    ],
)
def test_a_trusted_proxys_word_decides_on_every_floor(
    router: Router, path: str, headers: dict[str, str], status: int
) -> None:
    assert through_proxy(router, path, **headers) == status


def test_a_proxy_that_nobody_trusts_opens_nothing(asker: Asker) -> None:
    assert asker.get("/api/tags", X_Forwarded_For="127.0.0.1").status == 401


def test_a_proxys_second_header_line_counts(router: Router) -> None:
    with asking(router, PROXY) as asker:
        asker.connection.putrequest("GET", "/api/tags")
        asker.connection.putheader("X-Forwarded-For", "203.0.113.7")
        asker.connection.putheader("X-Forwarded-For", "127.0.0.1")
        asker.connection.endheaders()
        assert asker.connection.getresponse().status == 401
