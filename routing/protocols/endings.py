"""What an answer proves. Of a stream only the last bytes are searched: its chunks are never parsed."""

import re

import orjson

from routing.protocols.base import Ending

OLLAMA_DONE = re.compile(rb'(?<!\\)"(?:done"\s*:\s*true|total_duration"\s*:)')
OPENAI_FINISH = re.compile(rb'(?<!\\)"finish_reason"\s*:\s*"')
OPENAI_DONE = re.compile(rb"(?m)^data:\s*\[DONE\]\s*$")
ERROR = re.compile(rb'^(?:data:\s*)?\{\s*"error"\s*:')


def count(name: bytes, tail: bytes) -> int | None:
    """The last number called `name`, or None."""
    found = re.findall(rb'(?<!\\)"' + name + rb'"\s*:\s*(\d+)', tail)
    return int(found[-1]) if found else None


def last_line(tail: bytes) -> bytes:
    """The last line that is not empty."""
    return tail.rstrip().rsplit(b"\n", 1)[-1]


def whole(content: bytes, usage: tuple[str, str], done: bool) -> Ending:
    """An answer that came in one piece: a JSON object without an error, and with `done: true` where that is due."""
    try:
        said = orjson.loads(content)
    except orjson.JSONDecodeError:
        return Ending(False)
    if not isinstance(said, dict) or said.get("error"):
        return Ending(False, content[:500].decode("utf-8", "replace") if isinstance(said, dict) else "")
    nested = said.get("usage")
    counts = nested if isinstance(nested, dict) else said
    prompt, completion = (_number(counts.get(name)) for name in usage)
    return Ending(not done or said.get("done") is True, "", prompt, completion)


def ollama(tail: bytes) -> Ending:
    """A stream that ended with `done: true`, or a final line too long to be kept whole that has its totals."""
    line = last_line(tail)
    if ERROR.match(line):
        return Ending(False, line.decode("utf-8", "replace"))
    proven = line.endswith(b"}") and OLLAMA_DONE.search(line) is not None
    return Ending(proven, "", count(b"prompt_eval_count", line), count(b"eval_count", line))


def openai(tail: bytes) -> Ending:
    """A stream that ended with a finish reason and `[DONE]`."""
    end = tail.rstrip()
    if any(ERROR.match(line) for line in end.split(b"\n")[-4:]):
        return Ending(False, last_line(tail).decode("utf-8", "replace"))
    proven = OPENAI_DONE.search(end) is not None and OPENAI_FINISH.search(end) is not None
    return Ending(proven, "", count(b"prompt_tokens", tail), count(b"completion_tokens", tail))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
