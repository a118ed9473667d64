"""The Celery application, as the command line finds it."""

from celery.app.utils import find_app

from fleetsite.celery import app
from fleetsite.schedule import JOBS, task_name


def test_the_command_line_finds_it_by_the_projects_name() -> None:
    assert find_app("fleetsite") is app


def test_without_redis_messages_stay_in_the_process() -> None:
    assert app.connection_for_write().transport_cls == "memory"


def test_beat_sends_what_the_worker_knows() -> None:
    assert {row["task"] for row in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_every_job_is_in_beats_table() -> None:
    assert [row["task"] for row in app.conf.beat_schedule.values()] == [task_name(job) for job in JOBS]
