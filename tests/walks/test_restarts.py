"""A router that stops, dies and comes back: what it learned stays, what was under way is told of."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import RouterFactory, until
from tests.walks.fleets import Fleet, fleet_of, hanging, opened, question

SLOW = {"tokens_per_second": 20.0, "answer_tokens": 30}  # an answer takes 1.5 s


@contextmanager
def again(start: RouterFactory, data: Path) -> Iterator[Fleet]:
    """The fleet of a new router on the same data directory."""
    with fleet_of(start(data=data)) as fleet:
        yield fleet


def outcomes(fleet: Fleet, model: str) -> list[str]:
    return [row["outcome"] for row in fleet.decisions(model)]


def test_nodes_and_measured_latencies_survive_a_restart_and_removed_nodes_stay_away(router: RouterFactory) -> None:
    with fleet_of(router()) as fleet:
        fleet.add_all(lambda: fleet.add("kept", "m=1"), lambda: fleet.add("gone", "other=1"))
        answers = [fleet.ask("m") for _ in range(6)]
        fleet.manage("remove", "gone")
        assert {answer.status for answer in answers} == {200} and fleet.router.stop() == 0
        with again(router, fleet.router.data) as later:
            assert [(row["name"], row["state"]) for row in later.get("nodes")] == [("kept", "online")]
            assert [(row["node"], row["model"], row["samples"]) for row in later.get("latency")] == [
                ("kept", "m:latest", 6)
            ]
            inputs = later.decision(later.ask("m"))["candidates"][0]["inputs"]
    assert inputs["request_s_measured"] is True


def test_what_a_killed_router_left_is_interrupted(router: RouterFactory) -> None:
    with fleet_of(router()) as fleet:
        node = fleet.add("node", "m=1")
        with hanging(node):
            lost = fleet.begin("m")
            until(lambda: fleet.decisions("m", "running"))
            fleet.router.stop(signal.SIGKILL)
            with pytest.raises(OSError):
                lost.result()
        with again(router, fleet.router.data) as later:
            assert outcomes(later, "m") == ["interrupted"]
            assert later.ask("m").status == 200


def test_a_router_told_to_stop_finishes_what_runs_and_sends_away_what_waits(router: RouterFactory) -> None:
    with fleet_of(router()) as fleet:
        fleet.add_all(
            lambda: fleet.add("node", "m=1", **SLOW), lambda: fleet.add("small", "large=40", "--memory-gb", "1")
        )
        with opened(fleet.router.url, "POST", "/api/chat", question("m", "/api/chat") | {"stream": True}) as stream:
            first = stream.readline()
            waiting = [fleet.begin("m"), fleet.begin("large")]
            until(lambda: fleet.decisions("large", "running") and fleet.depth("node", "m") == (1, 1))
            fleet.router.process.send_signal(signal.SIGTERM)
            sent_away = [one.result(5) for one in waiting]
            assert refused_or_503(fleet)
            rest = stream.read().splitlines()
        assert fleet.router.process.wait(10) == 0
        assert [(answer.status, answer.headers["retry-after"]) for answer in sent_away] == [(503, "5")] * 2
        assert (first[:1], json.loads(rest[-1])["done"], len(rest)) == (b"{", True, 30)
        with again(router, fleet.router.data) as later:
            assert outcomes(later, "m") == ["completed", "interrupted"]
            assert outcomes(later, "large") == ["interrupted"]


def test_what_still_runs_when_the_drain_is_over_is_broken_off_in_words_and_interrupted(router: RouterFactory) -> None:
    with fleet_of(router(FLEET_DRAIN_TIMEOUT="1")) as fleet:
        stuck = fleet.add("stuck", "silent=1,endless=1", tokens_per_second=2.0, answer_tokens=100)
        silent = fleet.begin("silent")
        until(lambda: fleet.depth("stuck", "silent") == (1, 0))
        body = question("endless", "/api/chat") | {"stream": True}
        with opened(fleet.router.url, "POST", "/api/chat", body) as stream:
            assert json.loads(stream.readline())["message"]
            assert fleet.router.stop() == 0
            rest = stream.read().splitlines()
        assert "shutting down" in json.loads(rest[-1])["error"]
        assert silent.result(5).status == 503 and "Traceback" not in fleet.router.stderr
        until(lambda: stuck.node.seen.cancelled.total() == 2)
        with again(router, fleet.router.data) as later:
            assert (outcomes(later, "silent"), outcomes(later, "endless")) == (["interrupted"], ["interrupted"])


def refused_or_503(fleet: Fleet) -> bool:
    """Is a new request turned away, by the listening socket or in words?"""
    try:
        return fleet.ask("m").status == 503
    except OSError:
        return True
