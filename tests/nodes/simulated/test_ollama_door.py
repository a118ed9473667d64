import pytest

from nodes.simulated.ollama_door import local_host, local_origin

from .raw import raw


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:9", "127.0.0.1", "[::1]:5", "192.168.1.5:11434", "foo.localhost", "a.local", "b.internal"],
)
def test_a_local_host_passes(host):
    assert local_host(host)


@pytest.mark.parametrize("host", ["x", "ollama", "router:80", "example.com", "8.8.8.8"])
def test_a_foreign_host_does_not_pass(host):
    assert not local_host(host)


async def test_a_foreign_host_gets_403_without_a_word(ollama):
    answer = await raw(ollama, "GET", "/api/version", headers={"Host": "example.com"})
    assert (answer.status, answer.headers["Content-Length"], answer.body) == ("403 Forbidden", "0", b"")
    assert "Content-Type" not in answer.headers


async def test_bound_to_all_addresses_every_host_passes(start):
    node = await start(host="0.0.0.0")
    assert (await raw(node, "GET", "/api/version", headers={"Host": "example.com"})).status == "200 OK"


async def test_a_foreign_origin_gets_403_without_a_word(ollama):
    answer = await raw(ollama, "GET", "/api/version", headers={"Origin": "http://evil.test"})
    assert (answer.status, answer.body) == ("403 Forbidden", b"")


@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://127.0.0.1", "app://x", "http://node:11434"])
def test_a_local_origin_passes(origin):
    assert local_origin(origin, "node:11434")


async def test_a_preflight_of_a_local_origin_is_answered(ollama):
    answer = await raw(ollama, "OPTIONS", "/api/chat", headers={"Origin": "http://localhost:3000"})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == ("204 No Content", "http://localhost:3000")


async def test_a_wrong_method_gets_405_in_plain_text_and_what_is_allowed(ollama):
    answer = await raw(ollama, "POST", "/api/tags", {})
    assert (answer.status, answer.body) == ("405 Method Not Allowed", b"405 method not allowed")
    assert (answer.headers["Allow"], answer.headers["Content-Type"]) == ("HEAD, GET", "text/plain")


async def test_an_unknown_path_gets_404_in_plain_text(ollama):
    answer = await raw(ollama, "GET", "/nope")
    assert (answer.status, answer.body) == ("404 Not Found", b"404 page not found")
    assert answer.headers["Content-Type"] == "text/plain"
