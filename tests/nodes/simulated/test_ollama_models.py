from .raw import raw, same_shape

PS = """{"models":[{"name":"smollm2:135m","model":"smollm2:135m","size":0,"digest":"eb51","details":{"parent_model":"",
"format":"gguf","family":"llama","families":["llama"],"parameter_size":"134.52M","quantization_level":"Q4_1"},
"expires_at":"2026-11-30T19:49:54.629476938Z","size_vram":0,"context_length":2048}]}"""
TAG = """{"name":"gemma3:270m","model":"gemma3:270m","modified_at":"2026-11-30T19:43:29.440147198Z","size":253113472,
"digest":"be1f","details":{"parent_model":"","format":"gguf","family":"gemma3","families":["gemma3"],
"parameter_size":"268M","quantization_level":"Q4_K_M"},"capabilities":["completion"]}"""
LISTED = '{"object":"list","data":[{"id":"m:latest","object":"model","created":1796067810,"owned_by":"library"}]}'


async def test_the_root_says_that_ollama_is_running(ollama):
    answer = await raw(ollama, "GET", "/")
    assert (answer.body, answer.headers["Content-Type"]) == (b"Ollama is running", "text/plain; charset=utf-8")


async def test_head_of_the_root_has_the_length_and_no_body(ollama):
    answer = await raw(ollama, "HEAD", "/")
    assert (answer.headers["Content-Length"], answer.body) == ("17", b"")


async def test_the_version_is_the_machines(ollama):
    answer = await raw(ollama, "GET", "/api/version")
    assert (answer.body, answer.headers["Content-Type"]) == (b'{"version":"0.32.2"}', "application/json; charset=utf-8")


async def test_no_answer_names_the_server(ollama):
    assert "Server" not in (await raw(ollama, "GET", "/api/version")).headers


async def test_tags_have_the_recorded_shape(ollama):
    assert same_shape((await raw(ollama, "GET", "/api/tags")).json()["models"][0], TAG)


async def test_nothing_is_loaded_at_first(ollama):
    assert (await raw(ollama, "GET", "/api/ps")).body == b'{"models":[]}'


async def test_a_loaded_model_has_the_recorded_shape(ollama):
    await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m"})
    assert same_shape((await raw(ollama, "GET", "/api/ps")).json(), PS)


async def test_a_model_kept_for_ever_expires_in_centuries(ollama):
    await raw(ollama, "POST", "/api/generate", {"model": "smollm2:135m", "keep_alive": -1})
    assert (await raw(ollama, "GET", "/api/ps")).json()["models"][0]["expires_at"].startswith("231")


async def test_show_says_what_the_model_can_do(ollama):
    shown = (await raw(ollama, "POST", "/api/show", {"model": "all-minilm"})).json()
    assert shown["capabilities"] == ["embedding"]


async def test_show_of_an_unknown_model_spells_the_tag(ollama):
    answer = await raw(ollama, "POST", "/api/show", {"model": "nope"})
    assert (answer.status, answer.body) == ("404 Not Found", b'{"error":"model \'nope:latest\' not found"}')


async def test_copy_and_delete_answer_nothing(ollama):
    copied = await raw(ollama, "POST", "/api/copy", {"source": "smollm2:135m", "destination": "copy:1"})
    deleted = await raw(ollama, "DELETE", "/api/delete", {"model": "copy:1"})
    for answer in (copied, deleted):
        assert (answer.status, answer.headers["Content-Length"], answer.body) == ("200 OK", "0", b"")
        assert "Content-Type" not in answer.headers


async def test_a_deleted_model_is_gone(ollama):
    await raw(ollama, "DELETE", "/api/delete", {"model": "smollm2:135m"})
    assert "smollm2:135m" not in ollama.engine.files


async def test_delete_of_an_unknown_model_has_single_quotes(ollama):
    assert (
        await raw(ollama, "DELETE", "/api/delete", {"model": "nope"})
    ).body == b'{"error":"model \'nope\' not found"}'


async def test_the_openai_list_has_the_recorded_shape_and_ends_with_a_line(ollama):
    answer = await raw(ollama, "GET", "/v1/models")
    assert same_shape(answer.json(), LISTED)
    assert (answer.body[-1:], answer.headers["Content-Type"]) == (b"\n", "application/json")


async def test_one_model_of_the_openai_list(ollama):
    assert (await raw(ollama, "GET", "/v1/models/smollm2:135m")).json()["id"] == "smollm2:135m"
