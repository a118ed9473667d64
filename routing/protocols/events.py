"""Server-sent events with names: what the last of them prove, and how a stream of them is broken off."""

import re

import orjson

from routing.protocols.base import Ending
from routing.protocols.endings import ERROR, count, last_line

BLANK = re.compile(rb"\r?\n\r?\n")
NAME = re.compile(rb"^event:\s*([\w.]+)", re.MULTILINE)
TYPE = re.compile(rb'^data:\s*\{\s*"type"\s*:\s*"([\w.]+)"', re.MULTILINE)
STOP_REASON = re.compile(rb'(?<!\\)"stop_reason"\s*:\s*"')
COUNTED = re.compile(rb'(?<!\\)"input_tokens"\s*:\s*\d')
FAILED_STATUS = re.compile(rb'(?<!\\)"status"\s*:\s*"failed"')
SEQUENCE = re.compile(rb'(?<!\\)"sequence_number"\s*:\s*(\d+)')
PING, ERROR_NAME, STOP = b"ping", b"error", b"message_stop"
DONE, FAILED = (b"response.completed", b"response.incomplete"), (b"response.failed", ERROR_NAME)
WORDS = 500  # bytes of an engine's error that are kept


def anthropic(tail: bytes) -> Ending:
    """A stream that ended with a stop reason and `message_stop`."""
    said = [event for event in whole_events(tail) if name_of(event) != PING]
    last = said[-1] if said else b""
    if name_of(last) == ERROR_NAME or ERROR.match(last_line(last)):
        return Ending(False, _words(last))
    proven = name_of(last) == STOP and STOP_REASON.search(tail) is not None
    return Ending(proven, "", count(b"input_tokens", tail), count(b"output_tokens", tail))


def responses(tail: bytes) -> Ending:
    """A stream that ended with `response.completed` or `.incomplete`; or with one too long to be kept whole.

    That event repeats the whole answer: where its beginning is gone, only it has counted tokens.
    """
    last = (whole_events(tail) or [b""])[-1]
    name = name_of(last)
    if name in FAILED or ERROR.match(last_line(last)):
        return Ending(False, _words(last))
    cut = not name and COUNTED.search(last) is not None and FAILED_STATUS.search(last) is None
    return Ending(name in DONE or cut, "", count(b"input_tokens", last), count(b"output_tokens", last))


def whole_events(tail: bytes) -> list[bytes]:
    """The events at a stream's end without comments and `[DONE]`; none if the last of them is cut."""
    if not tail.endswith((b"\n\n", b"\r\n\r\n")):
        return []
    return [e for e in BLANK.split(tail) if e and not e.startswith(b":") and e != b"data: [DONE]"]


def name_of(event: bytes) -> bytes:
    """An event's name, from its own line or from its data; empty if its beginning is gone."""
    found = NAME.search(event) or TYPE.search(event)
    return found[1] if found else b""


def error_event(data: object, tail: bytes) -> bytes:
    """An event `error` after `tail`; half an event before it becomes a part of it, so that nothing half is read."""
    fresh = b"" if not tail or tail.endswith(b"\n") else b"\n"
    return fresh + b"event: error\ndata: " + orjson.dumps(data) + b"\n\n"


def next_number(tail: bytes) -> int:
    """The sequence number that is due after `tail`."""
    found = SEQUENCE.findall(tail)
    return int(found[-1]) + 1 if found else 0


def _words(event: bytes) -> str:
    return last_line(event)[:WORDS].decode("utf-8", "replace")
