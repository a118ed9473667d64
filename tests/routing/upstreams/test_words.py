"""What engines say, and what of it may be recorded."""

import pytest

from routing.upstreams.words import kept, said


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error":"server busy"}', "server busy"),
        (b'{"error":{"message":"server busy","code":503}}', "server busy"),
        (b'{"object":"error","message":"server busy","code":503}', "server busy"),
        (b'{"detail":"server busy"}', "server busy"),
        (b"server busy\n", "server busy"),
        (b'{"odd":1}', '{"odd":1}'),
        (b"", ""),
    ],
)
def test_an_engines_words_are_found_in_whatever_they_are_wrapped(body: bytes, words: str) -> None:
    assert said(body) == words


@pytest.mark.parametrize(
    "words",
    [
        "server busy, please try again; maximum pending requests exceeded",
        "requires more system memory (9.1 GiB) than is available (3.2 GiB)",
        "runner process has terminated: exit status 2",
        "must be of type integer",
    ],
)
def test_words_that_are_known_are_kept(words: str) -> None:
    assert kept(words) == words


def test_words_that_are_not_known_are_not_kept() -> None:
    assert kept("runner process has terminated: signal: tell me a secret") == "runner process has terminated"
