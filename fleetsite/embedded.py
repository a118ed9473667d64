"""A Celery worker and beat inside the server's process, over memory://: no broker to install."""

import logging
import threading
import time
from typing import Any

from celery import Celery, beat
from celery.worker import WorkController
from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)

THREADS = 4
STALE = 30.0  # seconds without a tick: beat hangs
PATIENCE = 2.0  # seconds that stopping may take


class PromptConsumer(Consumer):
    """A consumer that notices within 0.2 s that it should stop; Celery's own sleeps up to 2 s in `drain_events`."""

    def connection_for_read(self, *args: Any, **kwargs: Any) -> Any:
        connection = super().connection_for_read(*args, **kwargs)  # type: ignore[no-untyped-call]
        drain = connection.drain_events
        connection.drain_events = lambda timeout=None, **more: drain(timeout=min(timeout or 0.2, 0.2), **more)
        return connection


class EmbeddedCelery:
    """The worker and beat of one server process. `start`, `revive` and `stop` block: call them off the loop."""

    def __init__(self, app: Celery) -> None:
        self.app = app
        self._worker: Any = None
        self._worker_thread: threading.Thread | None = None
        self._beat: Any = None

    def start(self) -> None:
        """Start both; returns at once, the worker is ready some 0.1 s later."""
        self.app.finalize()
        self.app.set_default()
        self._start_worker()
        self._start_beat()

    def revive(self) -> None:
        """Start again whichever has died or hangs: an exception ends beat's thread without a word."""
        if not self.beat_is_well():
            log.error("Celery's beat stopped ticking: starting a new one")
            self._beat.service.stop(wait=False)
            self._start_beat()
        if not self.worker_is_well():
            log.error("the Celery worker has died: starting a new one")
            self._start_worker()

    def beat_is_well(self, now: float | None = None) -> bool:
        """Is beat alive, and did it tick in the last 30 s? `now` is monotonic."""
        ticked = self._beat.service._last_tick
        seen = time.monotonic() if now is None else now
        return bool(self._beat.is_alive()) and (ticked is None or seen - ticked < STALE)

    def worker_is_well(self) -> bool:
        """Does the worker's thread live?"""
        return self._worker_thread is not None and self._worker_thread.is_alive()

    def stop(self) -> None:
        """Stop both, within 2 s; a task that still runs then is left behind."""
        self._beat.service.stop(wait=False)
        stopping = threading.Thread(target=self._quietly, args=(self._worker.stop,), name="celery-stop", daemon=True)
        stopping.start()
        stopping.join(PATIENCE)

    def _start_worker(self) -> None:
        self._worker = WorkController(app=self.app, **WORKER)
        run = self._worker.start
        self._worker_thread = threading.Thread(target=self._quietly, args=(run,), name="celery-worker", daemon=True)
        self._worker_thread.start()

    def _start_beat(self) -> None:
        self._beat = beat.EmbeddedService(self.app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._beat.start()

    def _quietly(self, work: Any) -> None:
        try:
            work()
        except Exception:
            log.exception("the embedded Celery worker failed")


WORKER: dict[str, Any] = {
    "hostname": "embedded@fleetsite",
    "pool_cls": "threads",
    "concurrency": THREADS,
    "loglevel": "WARNING",
    "without_heartbeat": True,
    "without_mingle": True,
    "without_gossip": True,
    "consumer_args": {},
    "optimization": "fair",
    "prefetch_multiplier": 64,
    "send_events": False,
    "quiet": True,
}
