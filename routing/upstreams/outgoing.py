"""The one builder of what goes to an engine: the client's own bytes, changed only where routing must."""

import orjson

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot
from routing.core.problems import too_deep
from routing.core.request import InferenceRequest

OURS = ("fallback_models",)  # fields of the body that are for us


def body_for(request: InferenceRequest, node: NodeSnapshot, model: str) -> bytes:
    """The body as received, unless it names another model than this node serves or carries a field of ours.

    Raises Problem for one that can't be written anew.
    """
    name = spelling(request.asked, node, model)
    ours = any(field in request.content for field in OURS)
    if name == request.content.get("model") and not ours:
        return request.body
    kept = {k: v for k, v in request.content.items() if k not in OURS}
    try:
        return orjson.dumps(kept | {"model": name})
    except orjson.JSONEncodeError as error:  # it was JSON when it came: only its depth can be in the way
        raise too_deep() from error


def spelling(asked: str, node: NodeSnapshot, model: str) -> str:
    """The model's name as this engine takes it: Ollama reads any spelling, others only their own."""
    if node.engine == "ollama" and normal(asked) == model:
        return asked
    known = node.on_disk.get(model)
    return known.spelling if known and known.spelling else model
