"""A decision as people look at it."""

from typing import Any

import pytest

from routing import breakdown
from routing.core.filters import FILTERS

STUDIO = {
    "node": "studio",
    "model": "m:7b",
    "score": 64.0,
    "signals": {"queue_depth": -6.0, "model_warmth": 50.0, "memory_fit": 20.0},
    "inputs": {"residency": "hot", "depth": 1},
}
LAPTOP = {"node": "laptop", "model": "m:7b", "score": 120.0, "signals": {"model_warmth": 150.0, "role_affinity": -30.0}}


def test_bars_stand_in_the_order_of_the_signals_with_their_colours() -> None:
    bars = breakdown.lines([STUDIO], "studio", "m:7b")[0].bars
    assert [(bar.name, bar.colour) for bar in bars] == [("model warmth", 1), ("memory fit", 2), ("queue depth", 3)]


def test_all_candidates_are_drawn_to_one_scale() -> None:
    studio, laptop = breakdown.lines([STUDIO, LAPTOP], "", "")
    assert (round(studio.bars[0].percent, 1), laptop.bars[0].percent) == (33.3, 100.0)


def test_what_speaks_against_stands_apart_from_what_speaks_for() -> None:
    line = breakdown.lines([STUDIO], "", "")[0]
    assert ([b.points for b in line.against], [b.points for b in line.speaks_for]) == ([-6.0], [50.0, 20.0])


def test_who_served_has_won() -> None:
    assert [line.won for line in breakdown.lines([STUDIO, LAPTOP], "laptop", "m:7b")] == [False, True]


def test_before_anyone_served_the_best_stands_for_the_decision() -> None:
    best = breakdown.winner([STUDIO, LAPTOP], "", "")
    assert best and best.node == "studio"


def test_without_candidates_nobody_stands_for_it() -> None:
    assert breakdown.winner([], "", "") is None


@pytest.mark.parametrize("candidate", [{}, {"signals": None}, {"node": None, "score": None}])
def test_a_candidate_of_an_older_version_is_still_shown(candidate: dict[str, Any]) -> None:
    assert breakdown.lines([candidate], "studio", "m")[0].score == 0.0


def test_a_signal_that_is_no_more_comes_last() -> None:
    old = {"signals": {"luck": 1.0, "session_affinity": 2.0}}
    assert [bar.name for bar in breakdown.lines([old], "", "")[0].bars] == ["session affinity", "luck"]


def test_reasons_stand_with_their_counts_the_commonest_first() -> None:
    examples = [{"node": "pi", "model": "m:7b", "reason": "no_memory"}]
    outs = breakdown.outs(examples, {"paused": 1, "no_memory": 30})
    assert [(out.reason, out.count, list(out.examples)) for out in outs] == [
        ("no memory", 30, [("pi", "m:7b")]),
        ("paused", 1, []),
    ]


@pytest.mark.parametrize("reason", [row.reason for row in FILTERS])
def test_every_reason_is_explained(reason: str) -> None:
    assert breakdown.outs([], {reason: 1})[0].explained.endswith(".")


WAITED = ["held", "queued"]
FIRST, LOAD, REST = "first token", "loading and first token", "answering"
ENDED = {"first_token_ms": 50, "total_ms": 90, "node": "a"}


@pytest.mark.parametrize(
    ("row", "cold", "names"),
    [
        (ENDED, False, [*WAITED, FIRST, REST]),
        (ENDED, True, [*WAITED, LOAD, REST]),
        (ENDED | {"total_ms": None}, True, [*WAITED, LOAD]),
        (ENDED | {"first_token_ms": None}, False, [*WAITED, "without an answer"]),
        ({"total_ms": 90, "node": ""}, False, [*WAITED, "without a node"]),
        ({}, False, WAITED),
    ],
)
def test_time_is_told_as_far_as_it_came(row: dict[str, Any], cold: bool, names: list[str]) -> None:
    assert [span.name for span in breakdown.spans(row, cold)] == names


def test_the_spans_add_up_to_the_whole() -> None:
    row = {"held_ms": 10.0, "queue_ms": 20.0, "first_token_ms": 50.0, "total_ms": 100.0, "node": "a"}
    spans = breakdown.spans(row, False)
    assert [(span.ms, span.percent) for span in spans] == [(10, 10), (20, 20), (20, 20), (50, 50)]


@pytest.mark.parametrize(("residency", "cold"), [("hot", False), ("warm", True), ("cold", True)])
def test_a_model_that_was_not_in_memory_had_to_be_loaded(residency: str, cold: bool) -> None:
    line = breakdown.winner([STUDIO | {"inputs": {"residency": residency}}], "", "")
    assert breakdown.was_cold(line) is cold
