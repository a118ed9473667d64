"""Celery inside the server's process."""

import threading
from collections.abc import Iterator

import pytest
from celery import Celery

from fleetsite.embedded import EmbeddedCelery
from tests.conftest import until

ran = threading.Event()


def work() -> None:
    ran.set()


@pytest.fixture
def embedded() -> Iterator[EmbeddedCelery]:
    app = Celery("embedded", broker="memory://localhost", set_as_current=False)
    app.conf.update(
        beat_schedule={"work": {"task": "work", "schedule": 0.2}},
        broker_transport_options={"polling_interval": 0.02},
        task_ignore_result=True,
        worker_consumer="fleetsite.embedded:PromptConsumer",
    )
    app.task(name="work", shared=False)(work)
    ran.clear()
    celery = EmbeddedCelery(app)
    celery.start()
    yield celery
    celery.stop()


def test_beat_has_the_worker_do_the_work(embedded: EmbeddedCelery) -> None:
    assert ran.wait(20)


def test_a_dead_beat_is_replaced(embedded: EmbeddedCelery) -> None:
    embedded._beat.service.stop(wait=True)
    until(lambda: not embedded.beat_is_well())
    embedded.revive()
    ran.clear()
    assert embedded.beat_is_well() and ran.wait(20)


def test_a_beat_that_hangs_is_not_well(embedded: EmbeddedCelery) -> None:
    until(lambda: embedded._beat.service._last_tick is not None)
    assert not embedded.beat_is_well(now=embedded._beat.service._last_tick + 31)


def test_a_dead_worker_is_replaced(embedded: EmbeddedCelery) -> None:
    assert ran.wait(20)
    embedded._worker.stop()
    until(lambda: not embedded.worker_is_well())
    embedded.revive()
    ran.clear()
    assert ran.wait(20)


def test_stopping_ends_both(embedded: EmbeddedCelery) -> None:
    assert ran.wait(20)
    embedded.stop()
    until(lambda: not embedded.worker_is_well() and not embedded._beat.is_alive())
