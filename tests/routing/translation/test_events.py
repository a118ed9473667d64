"""A whole answer is what a stream adds up to."""

import pytest

from routing.core.problems import UpstreamFailed
from routing.translation.events import Ended, TextDelta, ThinkingDelta, Usage, fold

WORDS = (TextDelta("Hi"), ThinkingDelta("greet"), TextDelta(" there"))


def test_words_and_thoughts_are_joined() -> None:
    answer = fold([*WORDS, Ended("stop")])
    assert (answer.text, answer.thinking) == ("Hi there", "greet")


def test_pieces_are_counted() -> None:
    assert fold([*WORDS, Ended("stop")]).pieces == 3


def test_figures_that_nobody_gave_are_unknown() -> None:
    assert fold([Ended("stop")]).usage == Usage(None, None)


def test_a_stream_that_never_ended_is_no_answer() -> None:
    with pytest.raises(UpstreamFailed, match="terminal line"):
        fold(WORDS)
