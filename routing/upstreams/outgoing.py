"""The one builder of what goes to an engine: the client's own bytes, changed only where routing must."""

from collections.abc import Mapping
from typing import Any

import orjson

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot, QueueKey
from nodes.lib.live import current
from routing.core.context import asked_context, sent_context
from routing.core.parameters import ContextPolicy
from routing.core.problems import too_deep
from routing.core.request import InferenceRequest

OURS = ("fallback_models",)  # fields of the body that are for us
_named: dict[QueueKey, int] = {}  # the context that we last named to an engine for a model


def body_for(request: InferenceRequest, node: NodeSnapshot, model: str) -> bytes:
    """The body as received, unless it names another model than this node serves, carries a field of ours, or asks for a
    context for which the model would be loaded again.

    Raises Problem for one that can't be written anew.
    """
    name = spelling(request.asked, node, model)
    ours = any(field in request.content for field in OURS)
    context = _context_for(request, node, model)
    if name == request.content.get("model") and not ours and context == asked_context(request):
        return request.body
    kept = {k: v for k, v in request.content.items() if k not in OURS}
    try:
        return orjson.dumps(_with_context(kept, request, context) | {"model": name})
    except orjson.JSONEncodeError as error:  # it was JSON when it came: only its depth can be in the way
        raise too_deep() from error


def _context_for(request: InferenceRequest, node: NodeSnapshot, model: str) -> int | None:
    queue, resident = QueueKey(node.id, model), node.resident.get(model)
    loaded = resident.context if resident else None
    context = sent_context(asked_context(request), loaded, _named.get(queue), current(ContextPolicy))
    if context is not None:
        _named[queue] = context
    return context


def _with_context(content: Mapping[str, Any], request: InferenceRequest, context: int | None) -> dict[str, Any]:
    if context == asked_context(request):
        return dict(content)
    options = {k: v for k, v in content["options"].items() if k != "num_ctx"}
    return {**content, "options": options if context is None else options | {"num_ctx": context}}


def spelling(asked: str, node: NodeSnapshot, model: str) -> str:
    """The model's name as this engine takes it: Ollama reads any spelling, others only their own."""
    if node.engine == "ollama" and normal(asked) == model:
        return asked
    known = node.on_disk.get(model)
    return known.spelling if known and known.spelling else model
