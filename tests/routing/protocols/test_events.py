"""What the last bytes of streams of named events prove: recorded ones, and those cut at every byte."""

import pytest

from routing.protocols import ANTHROPIC, RESPONSES

START = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","content":[],"model":"m",'
    b'"stop_reason":null,"usage":{"input_tokens":31,"output_tokens":0}}}\n\n'
)
DELTA = (
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
    b'"delta":{"type":"text_delta","text":"Hi"}}\n\n'
)
STOPPED = (
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},'
    b'"usage":{"output_tokens":3}}\n\n'
)
STOP = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
OVERLOADED = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'

CREATED = (
    b'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"usage":null}}\n\n'
)
TEXT = (
    b"event: response.output_text.delta\n"
    b'data: {"type":"response.output_text.delta","sequence_number":4,"delta":"Hi"}\n\n'
)
COMPLETED = (
    b'event: response.completed\ndata: {"type":"response.completed","sequence_number":9,"response":{"id":"r",'
    b'"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],'
    b'"usage":{"input_tokens":31,"output_tokens":3,"input_tokens_details":{"cached_tokens":30}}}}\n\n'
)
INCOMPLETE = COMPLETED.replace(b"completed", b"incomplete")
FAILED = (
    b'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed",'
    b'"error":{"code":"server_error","message":"boom"},"usage":null}}\n\n'
)
LONG = COMPLETED.replace(b'"Hi"', b'"' + b"word " * 2000 + b'"')[-8192:]
ARGUED = DELTA.replace(
    b'"Hi"', rb'"event: message_stop\n\ndata: {\"type\":\"message_stop\",\"stop_reason\":\"x\"}\n\n"'
)

ANTHROPIC_CASES = [
    ("a stop reason and message_stop", START + DELTA + STOPPED + STOP, True),
    ("a ping after it", START + DELTA + STOPPED + STOP + PING, True),
    ("the stream just stops", START + DELTA, False),
    ("no message_stop", START + DELTA + STOPPED, False),
    ("message_stop without a stop reason", START + DELTA + STOP, False),
    ("an error event", START + DELTA + OVERLOADED, False),
    ("the model says message_stop in its own words", START + ARGUED, False),
    ("nothing came", b"", False),
]
RESPONSES_CASES = [
    ("completed", CREATED + TEXT + COMPLETED, True),
    ("incomplete: it was cut at its limit", CREATED + TEXT + INCOMPLETE, True),
    ("[DONE] after it", CREATED + COMPLETED + b"data: [DONE]\n\n", True),
    ("lines that end in CRLF", (CREATED + COMPLETED).replace(b"\n", b"\r\n"), True),
    ("no names of their own, only types", COMPLETED.split(b"\n", 1)[1], True),
    ("longer than what is kept", LONG, True),
    ("the stream just stops", CREATED + TEXT, False),
    ("failed", CREATED + TEXT + FAILED, False),
    ("an error event", CREATED + b'event: error\ndata: {"type":"error","message":"boom"}\n\n', False),
    ("an error object", CREATED + b'data: {"error":{"message":"boom"}}\n\n', False),
]


@pytest.mark.parametrize(("what", "tail", "complete"), ANTHROPIC_CASES, ids=[c[0] for c in ANTHROPIC_CASES])
def test_a_message_is_complete_only_by_stop_reason_and_message_stop(what: str, tail: bytes, complete: bool) -> None:
    assert ANTHROPIC.ending("/v1/messages", True, tail).complete is complete


@pytest.mark.parametrize(("what", "tail", "complete"), RESPONSES_CASES, ids=[c[0] for c in RESPONSES_CASES])
def test_a_response_is_complete_only_by_its_terminal_event(what: str, tail: bytes, complete: bool) -> None:
    assert RESPONSES.ending("/v1/responses", True, tail).complete is complete


def test_a_message_that_is_cut_at_any_byte_is_not_complete() -> None:
    stream = START + DELTA + STOPPED + STOP
    assert [n for n in range(len(stream)) if ANTHROPIC.ending("/v1/messages", True, stream[:n]).complete] == []


def test_a_response_that_is_cut_at_any_byte_is_not_complete() -> None:
    stream = CREATED + TEXT + COMPLETED
    assert [n for n in range(len(stream)) if RESPONSES.ending("/v1/responses", True, stream[:n]).complete] == []


def test_token_counts_are_the_engines_own() -> None:
    message = ANTHROPIC.ending("/v1/messages", True, START + DELTA + STOPPED + STOP)
    response = RESPONSES.ending("/v1/responses", True, LONG)
    assert (message.prompt_tokens, message.completion_tokens) == (31, 3)
    assert (response.prompt_tokens, response.completion_tokens) == (31, 3)


@pytest.mark.parametrize(
    ("tail", "words"), [(START + OVERLOADED, "Overloaded"), (CREATED + FAILED, "boom")], ids=["message", "response"]
)
def test_a_failure_is_told_in_the_engines_words(tail: bytes, words: str) -> None:
    protocol, path = (ANTHROPIC, "/v1/messages") if tail.startswith(START) else (RESPONSES, "/v1/responses")
    assert words in protocol.ending(path, True, tail).error


def test_a_whole_answer_is_complete_when_its_object_is_closed() -> None:
    message = b'{"type":"message","content":[],"usage":{"input_tokens":31,"output_tokens":3}}'
    response = b'{"object":"response","error":null,"usage":{"input_tokens":31,"output_tokens":3}}'
    for protocol, whole in ((ANTHROPIC, message), (RESPONSES, response)):
        ending = protocol.ending(next(iter(protocol.paths)), False, whole)
        assert (ending.complete, ending.prompt_tokens, ending.completion_tokens) == (True, 31, 3)
        assert not protocol.ending(next(iter(protocol.paths)), False, whole[:-1]).complete


def test_a_broken_message_ends_in_an_error_event() -> None:
    ended = ANTHROPIC.broken("gone", START)
    assert ended == b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"gone"}}\n\n'


@pytest.mark.parametrize("cut", [b"event: content_blo", b'event: x\ndata: {"type":"conte', b"event: x\n"])
def test_half_an_event_becomes_a_part_of_the_error_event(cut: bytes) -> None:
    last = (START + cut + ANTHROPIC.broken("gone", START + cut)).rstrip().split(b"\n\n")[-1]
    assert [line for line in last.split(b"\n") if line.startswith(b"event:")][-1] == b"event: error"


def test_a_broken_response_ends_in_an_error_event_with_the_number_that_is_due() -> None:
    ended = RESPONSES.broken("gone", CREATED + TEXT)
    assert ended.startswith(b'event: error\ndata: {"type":"error","sequence_number":5,"code":"upstream_failed"')
