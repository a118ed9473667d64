"""The log: one readable line an event, UTC, on stderr."""

import logging
import time
from typing import Any


class Line(logging.Formatter):
    """One event as one line; a line break inside a message can't forge another."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")


QUIET = ("uvicorn", "celery", "kombu", "daphne", "asyncio", "aiohttp")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": Line, "format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {"django": {"level": "INFO", "handlers": [], "propagate": True}}
    | {name: {"level": "WARNING"} for name in QUIET}
    | {"django.request": {"level": "ERROR"}},  # what a client asked wrongly is in its answer
}
