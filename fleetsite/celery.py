"""The Celery application: embedded over memory by default, over Redis with FLEET_REDIS_URL.

`celery -A fleetsite worker` and `celery -A fleetsite beat` find it here.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetsite.settings")

from fleetsite.schedule import beat_table, register

MEMORY = "memory://localhost"
POLL = {
    "polling_interval": 0.1
}  # kombu's memory transport looks for messages once a second, which is late for 5 s jobs

broker = os.environ.get("FLEET_REDIS_URL") or MEMORY
app = Celery("fleetsite", broker=broker)
app.conf.update(
    beat_schedule=beat_table(),
    broker_connection_retry_on_startup=True,
    broker_transport_options=POLL if broker == MEMORY else {},
    result_expires=None,
    task_ignore_result=True,
    task_track_started=False,
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=64,
)
if broker == MEMORY:
    app.conf.worker_consumer = "fleetsite.embedded:PromptConsumer"
register(app)
