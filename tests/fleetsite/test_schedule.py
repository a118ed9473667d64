"""The table of periodic work."""

import asyncio
import logging
from collections.abc import Iterator

import pytest
from celery import Celery

from fleetsite import schedule
from fleetsite.schedule import JOBS, Job, beat_table, register, run, task_name
from nodes.fleet import use_fleet
from nodes.fleet.loop import bind
from nodes.fleet.memory import MemoryFleet

done: list[str] = []
JOB = Job("count", 5, f"{__name__}.count")


async def count() -> None:
    done.append("once")


async def sleep() -> None:
    await asyncio.Event().wait()


@pytest.fixture(autouse=True)
async def fleet() -> "Iterator[None]":  # type: ignore[misc]
    done.clear()
    bind(asyncio.get_running_loop())
    use_fleet(MemoryFleet())
    yield
    bind(None)
    use_fleet(None)


def test_the_jobs_are_those_of_the_specification() -> None:
    periods = {job.name: job.every for job in JOBS}
    assert periods == {"prewarm": 5, "rebalance": 5, "reap": 15, "persist": 60, "prune": 3600}


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_job_names_a_coroutine_function(job: Job) -> None:
    assert asyncio.iscoroutinefunction(schedule.import_string(job.work))


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_message_is_void_after_its_period(job: Job) -> None:
    row = beat_table()[job.name]
    assert (row["task"], row["schedule"], row["options"]) == (task_name(job), job.every, {"expires": job.every})


def test_every_job_is_a_task_of_the_application() -> None:
    app = Celery("test", set_as_current=False)
    register(app)
    app.finalize()
    assert {task_name(job) for job in JOBS} <= set(app.tasks)


async def test_a_run_happens_on_the_fleets_loop() -> None:
    await asyncio.to_thread(run, JOB)
    assert done == ["once"]


async def test_of_two_runs_in_one_period_one_does_the_job() -> None:
    await asyncio.gather(asyncio.to_thread(run, JOB), asyncio.to_thread(run, JOB))
    assert done == ["once"]


async def test_a_run_that_does_not_end_is_stopped_and_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await asyncio.to_thread(run, Job("endless", 0.05, f"{__name__}.sleep"))
    assert "endless did not end in time" in caplog.text
