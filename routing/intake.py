"""From bytes to an InferenceRequest: what the client sent, and what of it goes on."""

import hmac
from collections.abc import Iterable, Mapping

from nodes.core.names import normal
from nodes.lib.live import current
from nodes.lib.mark import VIA
from routing.core.access import Key, ServerSecret
from routing.core.problems import too_deep
from routing.core.request import Demand, InferenceRequest
from routing.naming import models_of
from routing.protocols import PROTOCOLS
from routing.protocols.base import Reading
from routing.protocols.fields import invalid, parsed

# Never sent on: hop by hop, about this connection, or the client's credentials with us (spec §6).
OURS = frozenset(
    b"host origin referer cookie authorization x-api-key content-length accept-encoding connection keep-alive te"
    b" proxy-authorization proxy-authenticate trailer transfer-encoding upgrade expect forwarded via"
    b" x-real-ip content-encoding".split()
)
OUR_PREFIXES = (b"x-fleet-", b"x-herd-", b"x-forwarded-", b"sec-", b"access-control-")
PASSED_ON = VIA.lower().encode()  # of ours; each router adds its mark
TAG_HEADERS = (b"x-fleet-tags", b"x-herd-tags")
SESSION_TAG = "session:"
MOST_TAGS, LONGEST_TAG = 20, 100
MOST_FALLBACKS, LONGEST_NAME = 32, 256


def understood(
    trace_id: str, arrived: float, path: str, body: bytes, headers: Mapping[bytes, bytes], client: str, key: Key | None
) -> InferenceRequest:
    """The request in a body; raises Problem in the dialect's words."""
    content = parsed(body)
    try:
        reading = PROTOCOLS[path].read(path, content)
    except RecursionError as error:
        raise too_deep() from error
    check_names(reading)
    tags = tags_of(headers, reading.tags)
    models = models_of(reading.model, reading.fallbacks)
    return InferenceRequest(
        id=trace_id,
        dialect=PROTOCOLS[path].name,
        path=path,
        body=body,
        content=content,
        asked=reading.model,
        demand=Demand(models, reading.tokens, reading.needs | {path}),
        stream=reading.stream,
        arrived=arrived,
        aliased=models[0] != normal(reading.model),
        headers=tuple(forwarded(headers)),
        session=session_of(headers, tags, reading, models[0], f"key:{key.name}" if key else client),
        tags=tags,
        key=key.name if key else "",
        client=client,
        context=reading.context,
        tuned=reading.tuned,
        prompt_tokens=reading.prompt_tokens,
    )


def check_names(reading: Reading) -> None:
    """Raises Problem for more or longer names of models than anyone has: each is kept with the decision."""
    if len(reading.fallbacks) > MOST_FALLBACKS:
        raise invalid(f"fallback_models has {len(reading.fallbacks)} entries; at most {MOST_FALLBACKS} are taken")
    if any(len(name) > LONGEST_NAME for name in (reading.model, *reading.fallbacks)):
        raise invalid(f"the name of a model has at most {LONGEST_NAME} characters")


def forwarded(headers: Mapping[bytes, bytes]) -> Iterable[tuple[str, str]]:
    """The client's headers that an engine gets: none that `Connection` says are about this connection."""
    kept_back = OURS.union(name.strip().lower() for name in headers.get(b"connection", b"").split(b","))
    for name, value in headers.items():
        if name == PASSED_ON or (name not in kept_back and not name.startswith(OUR_PREFIXES)):
            yield name.decode("latin-1"), _words(value)


def _words(value: bytes) -> str:
    """A header's text, such that it goes out (as UTF-8) in the bytes in which it came."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def tags_of(headers: Mapping[bytes, bytes], more: tuple[str, ...]) -> tuple[str, ...]:
    """Tags from headers and body, each once, in order; at most twenty."""
    listed = (t.strip() for name in TAG_HEADERS for t in headers.get(name, b"").decode("utf-8", "replace").split(","))
    return tuple(dict.fromkeys(t[:LONGEST_TAG] for t in (*listed, *more) if t))[:MOST_TAGS]


def session_of(
    headers: Mapping[bytes, bytes], tags: tuple[str, ...], reading: Reading, model: str, who: str
) -> str | None:
    """HMAC of who ‖ model ‖ the conversation's mark: clients can't collide, nothing personal is kept (spec §2)."""
    named = headers.get(b"x-fleet-session", b"").decode("utf-8", "replace")
    tagged = next((t.removeprefix(SESSION_TAG) for t in tags if t.startswith(SESSION_TAG)), "")
    mark = named or tagged or reading.session
    if not mark:
        return None
    words = "\0".join((who, model, mark)).encode("utf-8", "surrogatepass")
    return hmac.digest(current(ServerSecret).value or b"unset", words, "sha256")[:16].hex()
