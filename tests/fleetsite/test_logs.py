"""The log's lines."""

import logging

from fleetsite.logs import LOGGING, Line


def line(message: str) -> str:
    record = logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": message, "created": 0.0, "msecs": 7.0})
    return Line(LOGGING["formatters"]["line"]["format"], style="{").format(record)


def test_a_line_begins_with_the_time_in_utc() -> None:
    assert line("hello") == "1970-01-01T00:00:00.007Z INFO    x: hello"


def test_a_line_break_in_a_message_makes_no_second_line() -> None:
    assert line("a\nb\r").endswith("a\\nb\\r")
