"""Requests as the live dashboard follows them."""

import pytest

from fleetsite.dashboards.tiles import Tally
from fleetsite.dashboards.traces import MOST_LINES, Following, line_of, stage
from nodes.core.values import QueueKey
from routing.notebook import Notebook
from tests.fleetsite.dashboards.conftest import NOBODY, machine, running, sent
from tests.routing.core.factories import MODEL, fleet, loaded, node, ranked

pytestmark = pytest.mark.usefixtures("live")


@pytest.fixture
def notes():
    return Notebook()


@pytest.fixture
def tally():
    return Tally(0.0)


@pytest.fixture
def following(notes, tally):
    following = Following(notes, tally)
    following.start()
    return following


def ended(trace, outcome="completed"):
    trace.ended(outcome, 200)
    return trace


@pytest.mark.parametrize(
    ("trace", "where"),
    [
        (lambda: running(), "routing"),
        (lambda: running(ranking=NOBODY), "held"),
        (lambda: running(ranking=ranked(fleet(node()))), "waiting"),
        (lambda: sent(), "loading"),
        (lambda: sent(machine(resident=loaded())), "running"),
    ],
    ids=["routing", "held", "waiting", "loading", "running"],
)
def test_a_running_request_stands_somewhere(trace, where):
    assert stage(trace()) == where


def test_a_request_whose_first_byte_came_has_its_model_loaded():
    trace = sent()
    trace.saw(200, b"{")
    assert stage(trace) == "running"


def test_a_line_of_a_running_request_has_its_node_and_signals():
    line = line_of(sent())
    assert (line["node"], line["outcome"], line["signals"]["model_warmth"]) == ("studio", None, 10)


def test_a_request_that_waits_has_no_signals_yet():
    assert line_of(running(ranking=ranked(fleet(node()))))["signals"] is None


def test_a_request_that_runs_when_somebody_opens_the_page_is_there(notes, tally):
    notes.note(trace := running())
    following = Following(notes, tally)
    following.start()
    assert [line["id"] for line in following.changed()] == [trace.id]


def test_a_new_request_is_told_once(following, notes):
    notes.note(running())
    assert [len(following.changed()) for _ in range(2)] == [1, 0]


def test_a_request_that_goes_on_is_told_again(following, notes):
    notes.note(trace := running())
    following.changed()
    trace.ranking = NOBODY
    assert [line["stage"] for line in following.changed()] == ["held"]


def test_an_end_is_told_and_the_request_forgotten(following, notes):
    notes.note(trace := running())
    following.changed()
    notes.note(ended(trace))
    assert ([line["outcome"] for line in following.changed()], following.changed()) == (["completed"], [])


def test_the_same_line_tells_of_one_that_ended_within_a_tick(following, notes):
    notes.note(trace := running())
    notes.note(ended(trace))
    assert [line["outcome"] for line in following.changed()] == ["completed"]


def test_what_ended_is_counted(following, notes, tally):
    notes.note(trace := ended(sent()))
    assert tally.tiles(fleet(), trace.at + 1)["cold"] == 1


def test_of_very_many_only_the_newest_are_drawn(following, notes):
    traces = [ended(running()) for _ in range(MOST_LINES + 20)]
    for trace in traces:
        notes.note(trace)
    assert [line["id"] for line in following.changed()] == sorted((t.id for t in traces), reverse=True)[:MOST_LINES]


def test_the_lines_of_a_while_are_remembered_newest_first(following, notes):
    traces = [running(), running()]
    for trace in traces:
        notes.note(ended(trace))
        following.changed()
    assert [line["id"] for line in following.lines()] == sorted((t.id for t in traces), reverse=True)


def test_models_that_are_loaded_for_a_request_are_known(following, notes):
    notes.note(sent())
    assert following.loading() == {QueueKey("studio", MODEL)}


def test_who_stops_following_hears_no_more(following, notes):
    following.stop()
    notes.note(running())
    assert following.changed() == []
