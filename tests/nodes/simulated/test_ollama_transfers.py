import hashlib

from .raw import raw

BLOB = b"GGUF weights"
DIGEST = f"sha256:{hashlib.sha256(BLOB).hexdigest()}"


async def test_a_pull_reports_progress_and_adds_the_model(start):
    node = await start("a=1", registry="phi4=9.1")
    answer = await raw(node, "POST", "/api/pull", {"model": "phi4"})
    lines = answer.lines()
    assert (lines[0], lines[-1]) == ({"status": "pulling manifest"}, {"status": "success"})
    assert [line["completed"] for line in lines if "completed" in line][-1] == 9_100_000_000
    assert "phi4:latest" in node.engine.files


async def test_a_pull_of_an_unknown_model_fails_after_200(ollama):
    answer = await raw(ollama, "POST", "/api/pull", {"model": "nope"})
    assert answer.status == "200 OK"
    assert answer.lines()[-1] == {"error": "pull model manifest: file does not exist"}


async def test_an_unstreamed_pull_of_an_unknown_model_is_a_server_error(ollama):
    answer = await raw(ollama, "POST", "/api/pull", {"model": "nope", "stream": False})
    assert (answer.status, answer.headers["Content-Type"]) == ("500 Internal Server Error", "application/json")


async def test_a_pull_whose_client_leaves_is_given_up(start, http):
    node = await start("a=1", registry="phi4=9.1")
    node.faults.hang()
    async with http.post(f"{node.url}/api/pull", json={"model": "phi4"}) as answer:
        await answer.content.readline()
        answer.close()
    await node.wait_for(lambda: node.seen.cancelled["phi4:latest"])
    assert "phi4:latest" not in node.engine.files


async def test_a_push_ends_with_success(ollama):
    answer = await raw(ollama, "POST", "/api/push", {"model": "smollm2:135m"})
    assert answer.lines()[-1] == {"status": "success"}


async def test_a_model_is_created_from_another(ollama):
    answer = await raw(ollama, "POST", "/api/create", {"model": "mine", "from": "smollm2:135m"})
    assert (answer.lines()[-1], "mine:latest" in ollama.engine.files) == ({"status": "success"}, True)


async def test_a_create_that_is_not_streamed_has_its_last_word(ollama):
    answer = await raw(ollama, "POST", "/api/create", {"model": "mine", "from": "smollm2:135m", "stream": False})
    assert answer.body == b'{"status":"success"}'


async def test_a_blob_is_there_once_it_was_sent(ollama, http):
    async with http.head(f"{ollama.url}/api/blobs/{DIGEST}") as before:
        assert before.status == 404
    for status in (201, 200):
        async with http.post(f"{ollama.url}/api/blobs/{DIGEST}", data=BLOB) as sent:
            assert sent.status == status
    async with http.head(f"{ollama.url}/api/blobs/{DIGEST}") as after:
        assert after.status == 200


async def test_a_blob_that_is_not_what_it_says_is_refused(ollama, http):
    async with http.post(f"{ollama.url}/api/blobs/{DIGEST}", data=b"other") as sent:
        assert (sent.status, await sent.json()) == (400, {"error": "digest mismatch"})


async def test_a_model_is_created_from_a_blob_and_is_as_large(ollama, http):
    async with http.post(f"{ollama.url}/api/blobs/{DIGEST}", data=BLOB):
        pass
    await raw(ollama, "POST", "/api/create", {"model": "mine", "files": {"m.gguf": DIGEST}})
    assert ollama.engine.files["mine:latest"].size == len(BLOB)


async def test_a_model_is_not_created_from_a_blob_that_is_not_there(ollama):
    answer = await raw(ollama, "POST", "/api/create", {"model": "mine", "files": {"m.gguf": DIGEST}})
    assert (answer.status, answer.json()) == ("400 Bad Request", {"error": f'blob "{DIGEST}" not found'})
