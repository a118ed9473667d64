from collections import Counter
from itertools import islice, takewhile

from fleetsite.demo.machines import MACHINES, SIZES
from fleetsite.demo.script import EMBEDS, RUSH_SIZE, Cue, script
from tests.browser.demonstration import UNTOUCHED

MODELS = tuple(SIZES)


def _first_minute(seed: int = 7) -> list[Cue]:
    return list(takewhile(lambda cue: cue.at < 60, script(seed, MODELS)))


def test_the_same_seed_gives_the_same_script() -> None:
    assert _first_minute() == _first_minute()


def test_another_seed_gives_another_script() -> None:
    assert _first_minute() != _first_minute(8)


def test_the_cues_come_in_order() -> None:
    times = [cue.at for cue in islice(script(7, MODELS), 1000)]
    assert times == sorted(times)


def test_the_first_minute_has_a_rush_for_one_model() -> None:
    asked = [(cue.at // 2, cue.ask.body["model"]) for cue in _first_minute() if cue.ask.path == "/api/generate"]
    assert max(Counter(asked).values()) >= RUSH_SIZE


def test_the_first_minute_asks_for_a_model_that_nobody_has() -> None:
    lone = [cue.ask.body for cue in _first_minute() if "fallback_models" not in cue.ask.body]
    assert {body["model"] for body in lone} - {model for one in MACHINES for model in one.models}


def test_the_first_minute_lists_fallbacks() -> None:
    assert any(cue.ask.body.get("fallback_models") for cue in _first_minute())


def test_the_first_minute_embeds_in_both_dialects() -> None:
    paths = {cue.ask.path for cue in _first_minute() if cue.ask.body["model"] == EMBEDS}
    assert paths == {"/api/embed", "/v1/embeddings"}


def test_a_conversation_says_again_what_was_said() -> None:
    turns = [cue.ask.body["messages"] for cue in _first_minute() if cue.ask.session == "person-0-0"]
    assert turns[1][: len(turns[0])] == turns[0]


def test_people_talk_only_with_models_that_are_there() -> None:
    cues = islice(script(7, ("qwen3-coder:30b", EMBEDS)), 300)
    assert {cue.ask.body["model"] for cue in cues if cue.ask.session} == {"qwen3-coder:30b"}


def test_one_model_is_left_to_the_visitor() -> None:
    asked = {model for cue in _first_minute() for model in (cue.ask.body["model"], *_fallbacks(cue))}
    assert UNTOUCHED in MODELS
    assert UNTOUCHED not in asked


def _fallbacks(cue: Cue) -> list[str]:
    return list(cue.ask.body.get("fallback_models", ()))
