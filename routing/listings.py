"""What the fleet can serve, in each dialect: from the live state, whatever nodes do, without a slot."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from nodes.core.names import normal
from nodes.core.serving import is_there
from nodes.core.values import DiskModel, NodeSnapshot, ResidentModel
from nodes.fleet import get_fleet
from routing import wire
from routing.core.access import Key
from routing.core.problems import Problem, too_deep
from routing.doors import check_model, may_use
from routing.inventory import known_models
from routing.management.show import show
from routing.naming import with_real_name
from routing.protocols import ANTHROPIC, OPENAI
from routing.protocols.base import Answer
from routing.protocols.fields import parsed

OLLAMA_JSON = b"application/json; charset=utf-8"
OLDEST = "0.0.0"  # what /api/version says of a fleet without an Ollama
Reply = Callable[[str, Mapping[bytes, bytes], wire.Receive, Key | None], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Listing:
    """One path (or, ending in `/`, all below it), its methods, and who answers."""

    path: str
    methods: tuple[str, ...]
    answer: Reply

    def takes(self, path: str) -> bool:
        """Is it this one's?"""
        return path == self.path or (self.path.endswith("/") and path.startswith(self.path) and self.path != "/")


async def root(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """`Ollama is running`; a browser gets the dashboard."""
    if b"text/html" in headers.get(b"accept", b""):
        return Answer(302, b"", b"text/plain", {"Location": "/fleet/"})
    return Answer(200, b"Ollama is running", b"text/plain; charset=utf-8")


async def tags(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """Every model on any node once, the most recently modified copy's facts."""
    models = [_tag(model) for model in known_models(get_fleet().snapshot(), key)]
    return Answer(200, orjson.dumps({"models": models}), OLLAMA_JSON)


async def ps(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """Every loaded model on every node that is there, with the node's name."""
    nodes = [n for n in get_fleet().snapshot().nodes if is_there(n)]
    models = [_loaded(n, m) for n in nodes for m in n.resident.values() if may_use(key, m.name)]
    return Answer(200, orjson.dumps({"models": models}), OLLAMA_JSON)


async def version(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """The lowest version among the fleet's Ollamas: what every one of them can do."""
    nodes = get_fleet().snapshot().nodes
    known = [n.version for n in nodes if is_there(n) and n.engine == "ollama" and n.version]
    return Answer(200, orjson.dumps({"version": min(known, key=_ordered, default=OLDEST)}), OLLAMA_JSON)


async def models(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """OpenAI's list, or Anthropic's for who speaks that."""
    known = known_models(get_fleet().snapshot(), key)
    if b"anthropic-version" in headers:
        return Answer(200, orjson.dumps(_anthropic_page([_anthropic(model) for model in known])))
    return Answer(200, orjson.dumps({"object": "list", "data": [_openai(model) for model in known]}))


async def model(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """One model, in OpenAI's form or Anthropic's."""
    asked, to_anthropic = path.removeprefix("/v1/models/"), b"anthropic-version" in headers
    found = {m.name: m for m in known_models(get_fleet().snapshot(), key)}.get(normal(asked))
    if found is None:
        dialect = ANTHROPIC if to_anthropic else OPENAI
        return dialect.problem(Problem("unknown_model", 404, dialect.unknown_model(path, asked)))
    return Answer(200, orjson.dumps(_anthropic(found) if to_anthropic else _openai(found)))


async def counted(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """`/v1/messages/count_tokens`, from the router's own estimate: no engine is asked."""
    content = parsed(await wire.read_body(headers, receive))
    try:
        return ANTHROPIC.counted(content)
    except RecursionError as error:
        raise too_deep() from error


async def shown(path: str, headers: Mapping[bytes, bytes], receive: wire.Receive, key: Key | None) -> Answer:
    """`/api/show`, from a node that has the model."""
    body = with_real_name(await wire.read_body(headers, receive))
    return await show(body, lambda name: check_model(key, (normal(name),)))


def _name(model: DiskModel) -> str:
    """As its engine writes it: a name without a tag stays without one."""
    return model.spelling or model.name


def _tag(model: DiskModel) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": _name(model),
        "model": _name(model),
        "modified_at": _iso(model.modified_at),
        "size": _bytes(model.size_gb),
        "digest": model.digest,
        "details": _details(model.details),
    }
    if model.capabilities:
        entry["capabilities"] = sorted(model.capabilities)
    return entry


def _loaded(node: NodeSnapshot, model: ResidentModel) -> dict[str, Any]:
    on_disk = node.on_disk.get(model.name) or DiskModel(model.name)
    return {
        "name": _name(on_disk),
        "model": _name(on_disk),
        "size": _bytes(model.size_gb),
        "digest": on_disk.digest,
        "details": _details(on_disk.details),
        "expires_at": _iso(model.expires_at or 0.0),
        "size_vram": _bytes(model.size_gb),
        "context_length": model.context or 0,
        "node": node.name,
    }


def _openai(model: DiskModel) -> dict[str, Any]:
    return {"id": _name(model), "object": "model", "created": int(model.modified_at), "owned_by": "library"}


def _anthropic(model: DiskModel) -> dict[str, Any]:
    name = _name(model)
    return {"type": "model", "id": name, "display_name": name, "created_at": _iso(model.modified_at)}


def _anthropic_page(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """All of them on one page."""
    first, last = (entries[0]["id"], entries[-1]["id"]) if entries else (None, None)
    return {"data": entries, "has_more": False, "first_id": first, "last_id": last}


DETAILS: Mapping[str, Any] = {
    "parent_model": "",
    "format": "gguf",
    "family": "",
    "families": [],
    "parameter_size": "",
    "quantization_level": "",
}


def _details(details: Mapping[str, object]) -> dict[str, object]:
    """Every field that strict clients want, with what the engine said."""
    return {**DETAILS, **details}


def _bytes(gb: float | None) -> int:
    return round((gb or 0.0) * 1e9)


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")


def _ordered(text: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in text.split("-")[0].split("."))


READ = ("GET", "HEAD")
LISTINGS: tuple[Listing, ...] = (
    Listing("/", READ, root),
    Listing("/api/tags", READ, tags),
    Listing("/api/ps", READ, ps),
    Listing("/api/version", READ, version),
    Listing("/api/show", ("POST",), shown),
    Listing("/v1/models", READ, models),
    Listing("/v1/models/", READ, model),
    Listing("/v1/messages/count_tokens", ("POST",), counted),
)
