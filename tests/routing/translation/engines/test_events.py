"""An engine's bytes mean the same events, however they are cut."""

import pytest

from routing.translation import TARGETS
from routing.translation.engines.reader import NO_JSON
from routing.translation.events import Broken, Event
from tests.routing.translation.answered import ANSWERS, CASES


def events(engine: str, *pieces: bytes) -> tuple[Event, ...]:
    """What these pieces mean, end included."""
    reader = TARGETS[engine].events()
    fed = [event for piece in pieces for event in reader.feed(piece)]
    return (*fed, *reader.end())


@pytest.mark.parametrize(("engine", "scene"), CASES)
def test_an_answer_is_read_as_its_events(engine: str, scene: str) -> None:
    said, meant = ANSWERS[engine][scene]
    assert events(engine, said) == meant


@pytest.mark.parametrize(("engine", "scene"), CASES)
def test_a_cut_anywhere_changes_nothing(engine: str, scene: str) -> None:
    said, meant = ANSWERS[engine][scene]
    assert [at for at in range(len(said)) if events(engine, said[:at], said[at:]) != meant] == []


@pytest.mark.parametrize(("engine", "scene"), CASES)
def test_single_bytes_change_nothing(engine: str, scene: str) -> None:
    said, meant = ANSWERS[engine][scene]
    assert events(engine, *(said[at : at + 1] for at in range(len(said)))) == meant


@pytest.mark.parametrize(("engine", "scene"), [(e, s) for e in ANSWERS for s in ("plain", "thinking", "length")])
def test_an_answer_that_breaks_off_anywhere_is_broken(engine: str, scene: str) -> None:
    said, _ = ANSWERS[engine][scene]
    proof = said.rstrip()[:-1]
    assert [at for at in range(len(proof)) if not isinstance(events(engine, said[:at])[-1], Broken)] == []


@pytest.mark.parametrize("said", [b"<html>", b"[]", b'"text"', b'{"message":7,"choices":[7]}'])
@pytest.mark.parametrize("engine", ["openai", "ollama"])
def test_what_no_engine_says_breaks_the_answer(engine: str, said: bytes) -> None:
    line = b"data: " + said + b"\n\n" if engine == "openai" else said + b"\n"
    assert events(engine, line) == (Broken(NO_JSON),)


@pytest.mark.parametrize("engine", ["openai", "ollama"])
def test_nothing_follows_the_end(engine: str) -> None:
    said, meant = ANSWERS[engine]["plain"]
    assert events(engine, said, said) == meant
