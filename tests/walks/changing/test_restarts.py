"""A router that stops, dies and comes back: what it learned stays, what was under way is told of."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import RouterFactory
from tests.walks.changing.parts import Fleet, Planned, eventually, fleet_of, hanging


@contextmanager
def again(start: RouterFactory, data: Path) -> Iterator[Fleet]:
    """The fleet of a new router on the same data directory."""
    with fleet_of(start(data=data)) as fleet:
        yield fleet


def outcomes(fleet: Fleet, model: str) -> list[str]:
    return [row["outcome"] for row in fleet.decisions(model)]


def test_nodes_and_measured_latencies_survive_a_restart_and_removed_nodes_stay_away(router: RouterFactory) -> None:
    with fleet_of(router()) as fleet:
        fleet.add(Planned("kept", "m=1"), Planned("gone", "other=1"))
        answers = [fleet.ask("m") for _ in range(6)]
        fleet.manage("remove", "gone")
        assert {answer.status for answer in answers} == {200} and fleet.router.stop() == 0
        with again(router, fleet.router.data) as later:
            assert [(row["name"], row["state"]) for row in later.get("nodes")] == [("kept", "online")]
            latency = [(row["node"], row["model"], row["samples"]) for row in later.get("latency")]
            inputs = later.decision(later.ask("m"))["candidates"][0]["inputs"]
    assert (latency, inputs["request_s_measured"]) == ([("kept", "m:latest", 6)], True)


def test_what_a_killed_router_left_is_interrupted(router: RouterFactory) -> None:
    with fleet_of(router()) as fleet:
        (node,) = fleet.add(Planned("node", "m=1"))
        with hanging(node):
            lost = fleet.begin("m")
            eventually(lambda: fleet.decisions("m", "running"))
            fleet.router.stop(signal.SIGKILL)
            with pytest.raises(OSError):
                lost.result()
        with again(router, fleet.router.data) as later:
            assert (outcomes(later, "m"), later.ask("m").status) == (["interrupted"], 200)


def test_a_router_told_to_stop_finishes_what_runs_and_sends_away_what_waits(router: RouterFactory) -> None:
    pace = {"tokens_per_second": 20.0, "answer_tokens": 30}
    with fleet_of(router()) as fleet:
        fleet.add(Planned("node", "m=1", machine=pace), Planned("small", "large=40", ("--memory-gb", "1")))
        stream = fleet.stream("m")
        first = stream.line()
        waiting = [fleet.begin("m"), fleet.begin("large")]
        eventually(lambda: fleet.decisions("large", "running") and fleet.depth("node", "m") == (1, 1))
        fleet.router.process.send_signal(signal.SIGTERM)
        sent_away = [one.result(10) for one in waiting]
        assert turned_away(fleet)
        rest = stream.answer().body.splitlines()
        assert fleet.router.process.wait(10) == 0
        assert [(answer.status, answer.headers["retry-after"]) for answer in sent_away] == [(503, "5")] * 2
        assert (first[:1], json.loads(rest[-1])["done"], len(rest)) == (b"{", True, 30)
        with again(router, fleet.router.data) as later:
            assert outcomes(later, "m") == ["completed", "interrupted"]
            assert outcomes(later, "large") == ["interrupted"]


def test_what_still_runs_when_the_drain_is_over_is_broken_off_in_words_and_interrupted(router: RouterFactory) -> None:
    with fleet_of(router(FLEET_DRAIN_TIMEOUT="1")) as fleet:
        pace = {"tokens_per_second": 2.0, "answer_tokens": 100}
        (stuck,) = fleet.add(Planned("stuck", "whole=1,endless=1", machine=pace))
        whole = fleet.begin("whole")
        eventually(lambda: fleet.depth("stuck", "whole") == (1, 0))
        stream = fleet.stream("endless")
        assert json.loads(stream.line())["message"]
        assert fleet.router.stop() == 0
        rest = stream.answer().body.splitlines()
        assert "shutting down" in json.loads(rest[-1])["error"]
        assert whole.result(10).status == 503 and "Traceback" not in fleet.router.stderr
        stuck.wait_for(lambda: stuck.node.seen.cancelled.total() == 2)
        with again(router, fleet.router.data) as later:
            assert (outcomes(later, "whole"), outcomes(later, "endless")) == (["interrupted"], ["interrupted"])


def turned_away(fleet: Fleet) -> bool:
    """Is a new request refused, by the socket or in words?"""
    try:
        return fleet.ask("m").status == 503
    except OSError:
        return True
