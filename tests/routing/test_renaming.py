"""The name in an aliased answer, however its bytes are cut."""

import pytest

from routing.renaming import Renamer

OLD = frozenset({"qwen2.5:7b", "qwen2.5"})
STREAMS = {
    "ollama": b'{"model":"qwen2.5:7b","message":{"content":"caf\xc3\xa9"}}\n{"model":"qwen2.5:7b","done":true}\n',
    "openai": b'data: {"id":"c","model": "qwen2.5:7b","choices":[]}\n\ndata: [DONE]\n\n',
    "messages": b'event: message_start\ndata: {"message":{"model":"qwen2.5:7b","content":[]}}\n\n',
    "no end of line": b'{"model" : "qwen2.5"}',
}
UNTOUCHED = (
    b'{"message":{"content":"\\"model\\":\\"qwen2.5:7b\\""}}',
    b'{"arguments":{"model":"tesla"}}',
    b'{"model":"qwen2.5:7b-other"}',
    b'{"model_name":"qwen2.5:7b"}',
    b'{"model":"qwen2.5:7b',
)


def renamed(*pieces: bytes) -> bytes:
    renamer = Renamer(OLD, "fast")
    return b"".join(map(renamer.feed, pieces)) + renamer.rest()


def expected(stream: bytes) -> bytes:
    return stream.replace(b'"qwen2.5:7b"', b'"fast"').replace(b'"qwen2.5"', b'"fast"')


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_the_name_is_replaced_and_nothing_else(stream: bytes) -> None:
    assert renamed(stream) == expected(stream)


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_it_is_replaced_wherever_the_stream_is_cut(stream: bytes) -> None:
    assert {renamed(stream[:n], stream[n:]) for n in range(len(stream) + 1)} == {expected(stream)}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_it_is_replaced_in_a_stream_of_single_bytes(stream: bytes) -> None:
    assert renamed(*(stream[n : n + 1] for n in range(len(stream)))) == expected(stream)


@pytest.mark.parametrize("content", UNTOUCHED)
def test_what_only_looks_like_it_stays(content: bytes) -> None:
    assert renamed(content) == content
    assert renamed(*(content[n : n + 1] for n in range(len(content)))) == content


def test_a_whole_event_is_never_held_back() -> None:
    assert all(Renamer(OLD, "fast").feed(stream) == expected(stream) for stream in STREAMS.values())


def test_a_name_that_json_must_escape_is_escaped() -> None:
    assert Renamer(OLD, 'a"b').whole(b'{"model":"qwen2.5"}') == b'{"model":"a\\"b"}'
