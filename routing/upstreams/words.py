"""What engines say when they fail: their own words, and those of them that may be kept.

An engine may repeat the prompt in its error. The client hears all of it; only what these tables know is recorded.
"""

import re

import orjson

SEARCHED = 8192  # characters of an engine's words that are looked at
HEARD = 300  # characters of them that a client hears in an error of ours
WRAPPINGS = ("error", "message", "detail")  # where engines put their words, the outermost first

# Texts of 500s that mean: the load was too large for the machine.
NO_MEMORY = re.compile(
    r"requires more system memory(?: \([\d.]{1,8} [KMGT]?i?B\) than is available(?: \([\d.]{1,8} [KMGT]?i?B\))?)?"
    r"|out of memory|cudaMalloc failed|resource limitations",
    re.IGNORECASE,
)
# Texts of 500s that mean: it could not load, or its runner died.
RUNNER_DEATHS = re.compile(
    r"runner process has terminated(?:: exit status \d{1,3}|: signal: (?:killed|aborted|segmentation fault))?"
    r"|runner process no longer running|model runner has unexpectedly stopped|timed out waiting for llama runner"
    r"|error was encountered while running the model|model failed to load|failed to load model|unable to load model"
    r"|error loading model|unexpected EOF|" + NO_MEMORY.pattern,
    re.IGNORECASE,
)
REFUSALS = re.compile(  # peers of the two above that say nothing against the engine
    r"server busy, please try again|maximum pending requests exceeded|too many requests|request canceled"
    r"|missing request body|model is required|invalid model name|unauthorized|not found|does not exist"
    r"|does not support (?:tools|thinking|insert|generate|chat|completion|vision|embeddings?)\b|invalid options"
    r"|must be of type (?:integer|float|number|string|boolean|array)\b|top_logprobs must be between 0 and 20"
    r"|cannot unmarshal (?:object|array|string|number|bool)\b|invalid character|unexpected end of JSON input"
    r"|exceeds? the (?:available |maximum )?context (?:size|length|window)|maximum context length|loading model"
    r"|bad gateway|gateway time-?out",
    re.IGNORECASE,
)
KNOWN = (RUNNER_DEATHS, REFUSALS)


def said(body: bytes) -> str:
    """An engine's error in its own words, out of whatever JSON they came in."""
    return (_unwrapped(body) or body.decode("utf-8", "replace").strip())[:SEARCHED]


def kept(words: str) -> str:
    """What of an engine's words may be recorded: the phrases that these tables know; empty if there are none."""
    return "; ".join(dict.fromkeys(found.group() for table in KNOWN for found in table.finditer(words)))


def answered(name: str, status: int, words: str) -> str:
    """An error answer of this node in one line."""
    return f"{name} answered {status}: {words[:HEARD]}" if words else f"{name} answered {status}"


def _unwrapped(body: bytes) -> str:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    while isinstance(content, dict):
        content = next((content[name] for name in WRAPPINGS if content.get(name)), None)
    return content if isinstance(content, str) else ""
