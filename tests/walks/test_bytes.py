"""Bytes through the router: what the engine said is what the client gets, and the other way round."""

import json
from urllib.parse import urlsplit

import pytest

from tests.walks.calls import EMBEDDING, GENERATING, PATHS, asking, post
from tests.walks.scenes import Fleet
from tests.walks.scripted import CHAT, EMBED, Script

NDJSON, EVENTS = "application/x-ndjson; odd=yes", "text/event-stream; charset=UTF-8"
# As no encoder of ours would write them: spacing, order, escapes, characters cut in two, lines without an end.
STREAMS = {
    "api": (
        NDJSON,
        b'{"done" :false, "message": {"content":"caf\xc3',
        b'\xa9 \\u0041","zz": 1.50}}\r\n{"response":"<>"}\n\n',
        b'{ "done":true , "prompt_eval_count": 7,"eval_count":3, "extra":[1e2]}',
    ),
    "v1": (
        EVENTS,
        b": a comment\r\n\r\nevent: odd\r\nid: 7\r\nda",
        b'ta: { "choices":[ {"index":0,"delta":{"content":"caf\xc3',
        b'\xa9 \\u0041"}, "finish_reason": "stop"} ], "usage":{"prompt_tokens": 7,"completion_tokens":3}}\n\n',
        b"data: [DONE]\r\n\r\n",
    ),
    "messages": (
        EVENTS,
        b": a comment\r\n\r\nevent: odd\r\nid: 7\r\nda",
        b'ta: { "delta":{"text":"caf\xc3',
        b'\xa9 \\u0041"}}\n\nevent:message_delta\ndata:{"delta":{"stop_reason": "end_turn"}, "usage":{',
        b'"input_tokens" :7, "output_tokens":3} }\n\nevent: message_stop\r\ndata: { "type":"message_stop" }\r\n\r\n',
    ),
    "responses": (
        EVENTS,
        b": a comment\r\n\r\nevent: odd\r\nid: 7\r\nda",
        b'ta: { "delta":"caf\xc3',
        b'\xa9 \\u0041"}\n\nevent:response.completed\r\ndata: {"response":{"usage":{ "input_tokens": 7,',
        b' "output_tokens":3} }}\r\n\r\n',
    ),
}
WHOLE = {
    "api": b'{ "message":{"content":"caf\xc3\xa9 \\u0041"},\n "done":true, "prompt_eval_count": 7, "eval_count":3 }\n',
    "v1": b'{ "choices":[ 1.50 , "caf\xc3\xa9 \\u0041"],\n "usage":{"prompt_tokens": 7, "completion_tokens":3} }\n\n',
}
WHOLE["messages"] = WHOLE["responses"] = (
    b'{ "content":[ 1.50 , "caf\xc3\xa9 \\u0041"],\n "usage":{"input_tokens": 7, "output_tokens":3} }\n\n'
)
CAFE = "café".encode().decode("latin-1")  # bytes of UTF-8, as HTTP libraries show them
ODD_BODY = (
    b' {\n"unknown" : [1.50, 1E+2, "\\u00e9\\/"], "model":"%s" , "stream": %s,\t"model_" : null,\n'
    b'"messages":[ {"role":"user", "content":"caf\xc3\xa9"}],"prompt":"x", "input" : "x" }\n '
)


def dialect(path: str) -> str:
    """`api`, `v1`, or the newer route's own name."""
    first, last = path.split("/")[1], path.split("/")[-1]
    return last if last in WHOLE else first


def model_of(path: str) -> str:
    """The scripted engine's model for this path."""
    return EMBED if path in EMBEDDING else CHAT


@pytest.mark.parametrize("path", GENERATING)
def test_a_stream_arrives_byte_for_byte(fleet: Fleet, script: Script, path: str) -> None:
    kind, *pieces = STREAMS[dialect(path)]
    script.says(*pieces, Content_Type=kind, X_Engine="odd")
    answer = fleet.ask(path, CHAT, stream=True)
    assert (answer.status, answer.body) == (200, b"".join(pieces))
    assert (answer.headers["content-type"], answer.headers["x-engine"]) == (kind, "odd")
    decision = fleet.decision(answer)
    assert (decision["outcome"], decision["prompt_tokens"], decision["completion_tokens"]) == ("completed", 7, 3)


@pytest.mark.parametrize("path", PATHS)
def test_a_whole_answer_arrives_byte_for_byte(fleet: Fleet, script: Script, path: str) -> None:
    script.says(WHOLE[dialect(path)], Content_Type="application/json; odd=yes", X_Engine="odd")
    answer = fleet.ask(path, model_of(path))
    assert (answer.status, answer.body) == (200, WHOLE[dialect(path)])
    assert (answer.headers["content-type"], answer.headers["x-engine"]) == ("application/json; odd=yes", "odd")
    decision = fleet.decision(answer)
    assert (decision["outcome"], decision["prompt_tokens"], decision["completion_tokens"]) == ("completed", 7, 3)


@pytest.mark.parametrize("stream", [b"false", b"true"])
@pytest.mark.parametrize("path", PATHS)
def test_the_engine_gets_the_clients_own_bytes(fleet: Fleet, script: Script, path: str, stream: bytes) -> None:
    streamed = stream == b"true" and path in GENERATING
    kind, *pieces = STREAMS[dialect(path)] if streamed else ("application/json", WHOLE[dialect(path)])
    script.says(*pieces, Content_Type=kind)
    body = ODD_BODY % (model_of(path).encode(), stream)
    post(fleet.router.url, path, body, {"Content-Type": "text/plain; charset=odd", "X-Custom": CAFE})
    (sent,) = script.sent
    assert sent.body == body
    assert (sent.named("content-type"), sent.named("x-custom")) == (["text/plain; charset=odd"], [CAFE])


@pytest.mark.parametrize("path", PATHS)
def test_the_list_of_fallbacks_is_for_us_alone(fleet: Fleet, script: Script, path: str) -> None:
    script.says(WHOLE[dialect(path)], Content_Type="application/json")
    asked = json.loads(asking(path, model_of(path), unknown=[1.5, "é"]))
    post(fleet.router.url, path, json.dumps(asked | {"fallback_models": ["other"]}).encode())
    (sent,) = script.sent
    assert json.loads(sent.body) == asked


@pytest.mark.parametrize("path", PATHS)
def test_what_is_between_the_client_and_us_stays_between_us(fleet: Fleet, script: Script, path: str) -> None:
    script.says(WHOLE[dialect(path)], Content_Type="application/json")
    secret = {
        "Authorization": "Bearer mine",
        "x-api-key": "mine",
        "Cookie": "mine",
        "X-Fleet-Tags": "mine",
        "X-Fleet-Session": "mine",
        "X-Herd-Tags": "mine",
        "Origin": "http://localhost:3000",
        "Connection": "keep-alive",
        "TE": "trailers",
        "Accept-Encoding": "gzip",
    }
    assert post(fleet.router.url, path, asking(path, model_of(path)), secret).status == 200
    (sent,) = script.sent
    kept = {name.lower() for name in secret} - {"accept-encoding"}
    assert not kept & {name.lower() for name, _ in sent.headers}
    assert sent.named("host") == [urlsplit(script.url).netloc]
    assert sent.named("accept-encoding") == ["identity"]
    assert b"mine" not in sent.body


def test_an_answer_longer_than_any_buffer_arrives_whole(fleet: Fleet, script: Script) -> None:
    pieces = [b'{"message":{"content":"%s"}}\n' % (b"%06d" % number * 2000) for number in range(100)]
    script.says(*pieces, b'{"done":true}\n', Content_Type=NDJSON)
    answer = fleet.ask("/api/chat", CHAT, stream=True)
    assert answer.body == b"".join(pieces) + b'{"done":true}\n'
    assert fleet.decision(answer)["outcome"] == "completed"


def test_an_engines_own_error_arrives_byte_for_byte(fleet: Fleet, script: Script) -> None:
    script.says(b'{"error" : "no such template\\u0021" }\n', status=400, Content_Type="application/json; odd=yes")
    answer = fleet.ask("/api/chat", CHAT, stream=True)
    assert (answer.status, answer.body) == (400, b'{"error" : "no such template\\u0021" }\n')
    assert answer.headers["content-type"] == "application/json; odd=yes"
