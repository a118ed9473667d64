"""What a client asks of a model itself, answered by a node that has it."""

from collections.abc import Callable

import orjson

from nodes.core.names import normal
from nodes.core.serving import is_there
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from routing.core.problems import Problem, UpstreamFailed
from routing.protocols.base import Answer
from routing.protocols.fields import parsed, take
from routing.upstreams.client import post
from routing.upstreams.passthrough import within

SHOW_SECONDS = 10.0
OLLAMA_JSON = b"application/json; charset=utf-8"
JSON_HEADERS = [("Content-Type", "application/json")]


async def show(body: bytes, check: Callable[[str], None]) -> Answer:
    """`/api/show`: an Ollama's own words, else what we know of a model on another engine."""
    content = parsed(body)
    name = take(content, "model", str, "") or take(content, "name", str, "")
    if not name:
        raise Problem("invalid", 400, "model is required")
    check(name)
    holders = [n for n in get_fleet().snapshot().nodes if n.enrolment == "approved" and n.has(normal(name))]
    for node in (n for n in holders if n.engine == "ollama" and is_there(n)):
        try:
            return await _ask(node, body)
        except UpstreamFailed:
            continue
    if not holders:
        raise Problem("unknown_model", 404, f"model '{normal(name)}' not found")
    return _known(holders[0], normal(name))


async def _ask(node: NodeSnapshot, body: bytes) -> Answer:
    async with within(node, SHOW_SECONDS, "no answer"), post(node, "/api/show", body, JSON_HEADERS) as answer:
        said = await answer.read()
    if answer.status >= 500 or answer.status == 404:
        raise UpstreamFailed(f"{node.name} answered {answer.status}")
    return Answer(answer.status, said, OLLAMA_JSON)


def _known(node: NodeSnapshot, name: str) -> Answer:
    """Ollama's form, from what the node told the router."""
    model, resident = node.on_disk.get(name), node.resident.get(name)
    told: dict[str, object] = {
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": dict(model.details) if model else {},
        "model_info": {"general.context_length": resident.context} if resident and resident.context else {},
        "capabilities": sorted(model.capabilities) if model and model.capabilities else ["completion"],
    }
    return Answer(200, orjson.dumps(told), OLLAMA_JSON)
