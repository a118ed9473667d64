"""A request on its way, and its trace: a test says what matters to it."""

from typing import Any

import orjson

from nodes.core.values import FleetSnapshot, NodeSnapshot, ResidentModel
from routing.core.ranking import Policy, rank
from routing.core.request import InferenceRequest
from routing.intake import understood
from routing.protocols import dialect_of
from routing.recorder import Trace

MODEL = "acme:7b"
HELLO = [{"role": "user", "content": "hello"}]


def request(path: str = "/api/chat", body: bytes = b"", **content: Any) -> InferenceRequest:
    """What a client asked; its body as it came, or one that says `content`."""
    said = body or orjson.dumps({"model": MODEL, "messages": HELLO} | content)
    return understood("r1", 0.0, path, said, {}, "127.0.0.1", None)


def trace(asked: InferenceRequest, *nodes: NodeSnapshot) -> Trace:
    """The trace of that request, ranked among these nodes, before anything was tried."""
    begun = Trace(asked.path, dialect_of(asked.path).name, id=asked.id, request=asked)
    begun.ranked(rank(FleetSnapshot(0.0, nodes), asked.demand, Policy()))
    return begun


def node(name: str = "studio", *models: str, **known: Any) -> NodeSnapshot:
    """A node that has these models (else the model) in memory."""
    resident = {model: ResidentModel(model) for model in models or (MODEL,)}
    return NodeSnapshot(name, name, **{"resident": resident} | known)
