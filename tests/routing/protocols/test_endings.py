"""What the last bytes of recorded answers prove."""

import pytest

from routing.protocols import OLLAMA, OPENAI

DONE = (
    b'{"model":"m","created_at":"2026-11-30T19:44:57Z","message":{"role":"assistant","content":""},"done":true,'
    b'"done_reason":"length","total_duration":665506254,"load_duration":107713317,"prompt_eval_count":10,'
    b'"prompt_eval_duration":275768000,"eval_count":6,"eval_duration":278999000}\n'
)
TOKEN = b'{"model":"m","created_at":"2026-11-30T19:44:57Z","message":{"role":"assistant","content":"I"},"done":false}\n'
CHUNK = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"I"},"finish_reason":null}]}\n\n'
FINISH = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":"length"}]}\n\n'
USAGE = b'data: {"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}\n\n'
SENTINEL = b"data: [DONE]\n\n"
WHOLE = b'{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10}}'

OLLAMA_CASES = [
    ("done is true", TOKEN + DONE, True),
    ("the stream just stops", TOKEN, False),
    ("the terminal line is cut in half", TOKEN + DONE[:60], False),
    ("an error line after 200", TOKEN + b'{"error":"an error was encountered while running the model"}\n', False),
    ("the model says done: true in its own words", TOKEN.replace(b'"I"', b'"\\"done\\":true"'), False),
    (
        "the terminal line is longer than what is kept",
        b"7,8,9" * 2000 + b'],"total_duration":5,"eval_count":2}\n',
        True,
    ),
    ("nothing came", b"", False),
]
OPENAI_CASES = [
    ("a finish reason and [DONE]", CHUNK + FINISH + SENTINEL, True),
    ("usage between finish and [DONE]", CHUNK + FINISH + USAGE + SENTINEL, True),
    ("no [DONE]: the runner died", CHUNK + FINISH, False),
    ("[DONE] without a finish reason: interrupted", CHUNK + SENTINEL, False),
    ("an error object", CHUNK + b'data: {"error":{"message":"boom"}}\n\n', False),
    ("the model says data: [DONE] in its own words", CHUNK.replace(b'"I"', b'"\\ndata: [DONE]\\n"') + FINISH, False),
]


@pytest.mark.parametrize(("what", "tail", "complete"), OLLAMA_CASES, ids=[c[0] for c in OLLAMA_CASES])
def test_an_ollama_stream_is_complete_only_by_its_terminal_line(what: str, tail: bytes, complete: bool) -> None:
    assert OLLAMA.ending("/api/chat", True, tail).complete is complete


@pytest.mark.parametrize(("what", "tail", "complete"), OPENAI_CASES, ids=[c[0] for c in OPENAI_CASES])
def test_an_openai_stream_is_complete_only_by_finish_and_done(what: str, tail: bytes, complete: bool) -> None:
    assert OPENAI.ending("/v1/chat/completions", True, tail).complete is complete


def test_ollama_token_counts_are_the_engines_own() -> None:
    ending = OLLAMA.ending("/api/chat", True, TOKEN + DONE)
    assert (ending.prompt_tokens, ending.completion_tokens) == (10, 6)


def test_openai_token_counts_are_the_engines_own() -> None:
    ending = OPENAI.ending("/v1/chat/completions", True, FINISH + USAGE + SENTINEL)
    assert (ending.prompt_tokens, ending.completion_tokens) == (10, 4)


def test_tokens_that_were_not_reported_stay_unknown() -> None:
    ending = OPENAI.ending("/v1/chat/completions", True, FINISH + SENTINEL)
    assert (ending.prompt_tokens, ending.completion_tokens) == (None, None)


def test_a_whole_answer_is_complete_when_its_object_is_closed() -> None:
    assert OPENAI.ending("/v1/chat/completions", False, WHOLE).complete
    assert not OPENAI.ending("/v1/chat/completions", False, WHOLE[:-1]).complete


def test_embeddings_need_no_done() -> None:
    assert OLLAMA.ending("/api/embed", False, b'{"model":"m","embeddings":[[0.1]],"prompt_eval_count":6}').complete


def test_an_error_line_is_told_in_the_engines_words() -> None:
    ending = OLLAMA.ending("/api/chat", True, TOKEN + b'{"error":"unexpected EOF"}\n')
    assert "unexpected EOF" in ending.error
