"""What operators read in the log of requests."""

import logging

import pytest

from nodes.core.values import QueueKey, Standing
from nodes.fleet.memory import MemoryFleet
from routing import eventlog
from routing.core.problems import Problem, UpstreamFailed
from routing.eventlog import Bound
from routing.recorder import Trace, blame, learn
from routing.upstreams import client
from tests.conftest import free_port
from tests.routing.asking import ask
from tests.routing.factories import MODEL, node, request, trace


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing was logged this minute."""
    monkeypatch.setattr(eventlog, "BOUNDS", eventlog.bounds())
    caplog.set_level(logging.INFO, "routing.eventlog")


def tried() -> Trace:
    """A request that an engine was asked."""
    known = trace(request(), node())
    known.tries(Standing("running", QueueKey("studio", MODEL)), node())
    return known


def test_no_more_lines_a_minute_than_are_bound_and_the_next_says_how_many_were_left_out() -> None:
    bound = Bound(2)
    assert [bound.turn(now) for now in (0, 1, 2, 59, 60, 61)] == [0, 0, None, None, 2, 0]


@pytest.mark.parametrize("outcome", ["upstream_failed", "timed_out", "hold_expired", "queue_full"])
def test_a_request_that_got_no_answer_is_one_line_with_its_reason(
    outcome: str, caplog: pytest.LogCaptureFixture
) -> None:
    known = tried()
    known.verdict(Problem(outcome, 503, "why it was"))
    eventlog.ended(known)
    assert caplog.messages == [f"decision r1: {outcome} with status 503, for {MODEL} of : why it was"]


@pytest.mark.parametrize("outcome", ["completed", "client_gone", "unknown_model", "invalid", "interrupted"])
def test_what_no_operator_need_know_is_no_line(outcome: str, caplog: pytest.LogCaptureFixture) -> None:
    known = tried()
    known.ended(outcome)
    eventlog.ended(known)
    assert caplog.messages == []


def test_many_refusals_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(9):
        known = Trace("/api/chat", "ollama", "192.168.1.9")
        known.verdict(Problem("refused", 401, "an API key is needed"))
        eventlog.ended(known)
    assert caplog.messages == ["refused /api/chat of 192.168.1.9 with status 401: an API key is needed"]


def test_the_line_after_a_full_minute_counts_what_was_left_out(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for now in (0.0, 1.0, 2.0, 61.0):
        monkeypatch.setattr(eventlog.time, "monotonic", lambda now=now: now)
        eventlog.refused("10.0.0.5", "/api/tags", 401, "no key")
    assert caplog.messages[1:] == [
        "refused /api/tags of 10.0.0.5 with status 401: no key (2 more like it were not logged)"
    ]


async def test_a_listing_that_is_refused_is_a_line_too(caplog: pytest.LogCaptureFixture) -> None:
    await ask("/api/tags", b"", method="GET", headers=[(b"origin", b"https://evil.com")])
    assert caplog.messages[0].startswith("refused /api/tags of ")


async def test_circuits_that_open_and_close_are_a_line_each(
    fleet: MemoryFleet, caplog: pytest.LogCaptureFixture
) -> None:
    await fleet.put_node(node())
    known = tried()
    for _ in range(5):
        await blame(known)
    known.ended("completed", 200)
    await learn(known, None)
    await learn(known, None)
    assert caplog.messages == [
        f"node studio: suspended for {MODEL} after failures; a trial follows",
        f"node studio: serves {MODEL} again",
    ]


async def test_an_engine_that_fails_is_a_line_with_its_node(
    fleet: MemoryFleet, caplog: pytest.LogCaptureFixture
) -> None:
    await fleet.put_node(node(url=f"http://127.0.0.1:{free_port()}", last_seen=1.0))
    await ask("/api/chat", b'{"model": "acme:7b", "messages": [{"role": "user", "content": "a secret"}]}')
    await client.close()
    assert any("node studio failed for acme:7b: " in message for message in caplog.messages)
    assert "a secret" not in caplog.text


def test_a_long_reason_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    known = tried()
    known.failed(UpstreamFailed("x" * 5000), "studio")
    eventlog.tried(known)
    assert len(caplog.messages[0]) < 500
