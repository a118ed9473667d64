"""The one table of periodic work, and how a row becomes a Celery task."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from celery import Celery
from django.utils.module_loading import import_string

from nodes.fleet import get_fleet
from nodes.fleet.loop import on_fleet_loop

log = logging.getLogger(__name__)

LEASE_SHARE = 0.9  # of the period: one process does the job, and the lease is free again by the next tick
LONGEST_WAIT = 60.0  # seconds a worker thread watches over one run


@dataclass(frozen=True, slots=True)
class Job:
    """Periodic work: `work` is the dotted name of a coroutine function without arguments."""

    name: str
    every: float  # seconds
    work: str


JOBS = (
    Job("prewarm", 5, "routing.tasks.prewarm"),
    Job("rebalance", 5, "routing.tasks.rebalance"),
    Job("reap", 15, "routing.tasks.reap"),
    Job("persist", 60, "routing.history.save"),
    Job("prune", 3600, "routing.history.prune"),
)


def beat_table() -> Mapping[str, Mapping[str, Any]]:
    """JOBS as beat reads them; a message that was not taken within its period is void."""
    return {
        job.name: {"task": task_name(job), "schedule": job.every, "options": {"expires": job.every}} for job in JOBS
    }


def register(app: Celery) -> None:
    """Make each job a task of this application."""
    for job in JOBS:
        app.task(name=task_name(job), ignore_result=True, shared=False)(_task_of(job))


def task_name(job: Job) -> str:
    """The name that messages carry."""
    return f"fleetsite.{job.name}"


def run(job: Job) -> None:
    """Have the fleet's loop do one run, and watch over it; from a worker's thread."""
    try:
        on_fleet_loop(_leased(job), min(job.every, LONGEST_WAIT))
    except TimeoutError:
        log.warning("%s did not end in time and was stopped; it runs again in %.0f s", job.name, job.every)


async def _leased(job: Job) -> None:
    if await get_fleet().lease(f"job:{job.name}", job.every * LEASE_SHARE):
        await import_string(job.work)()


def _task_of(job: Job) -> Any:
    def task() -> None:
        run(job)

    return task
