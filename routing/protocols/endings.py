"""What the last bytes of an answer prove. Searched, not parsed: a final line may be longer than what is kept."""

import re

from routing.protocols.base import Ending

KEPT = 8192  # bytes of an answer's end that are looked at

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


def ollama(tail: bytes, stream: bool, embedding: bool) -> Ending:
    """`done: true` on the last line; embeddings have none, there a closed object is the proof."""
    line = last_line(tail)
    if ERROR.match(line):
        return Ending(False, line.decode("utf-8", "replace"))
    proven = line.endswith(b"}") and (embedding or OLLAMA_DONE.search(line) is not None)
    return Ending(proven, "", count(b"prompt_eval_count", line), count(b"eval_count", line))


def openai(tail: bytes, stream: bool, embedding: bool) -> Ending:
    """A finish reason and `[DONE]`; whole answers: a closed object."""
    end = tail.rstrip()
    if any(ERROR.match(line) for line in end.split(b"\n")[-4:]):
        return Ending(False, last_line(tail).decode("utf-8", "replace"))
    streamed = OPENAI_DONE.search(end) is not None and OPENAI_FINISH.search(end) is not None
    proven = streamed if stream else end.endswith(b"}")
    return Ending(proven, "", count(b"prompt_tokens", tail), count(b"completion_tokens", tail))
