"""Heartbeats of agents: a credential, a check, a merge, the fleet; no query for a known node."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Any

import orjson

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.heartbeat_form import Heartbeat, heartbeat_of
from nodes.core.liveness import state
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.intake import take
from nodes.lib.live import current
from nodes.lib.shape import Misshapen

MOST_BYTES = 1_000_000
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
_last: dict[str, tuple[str, int]] = {}  # node → boot and sequence of its last heartbeat


@dataclass(eq=False)
class Refused(Exception):
    """A heartbeat that is not taken, as it is answered."""

    status: int
    content: Mapping[str, str]
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Foreign(LookupError):
    """A heartbeat that speaks of another node than its sender."""


class SenderGone(Exception):
    """The agent left before its heartbeat was whole."""


async def heartbeat(scope: Scope, receive: Receive, send: Send) -> None:
    """POST /fleet/api/v1/heartbeat, as a raw ASGI application."""
    try:
        node = await _taken(scope, receive)
    except Refused as refusal:
        return await _answer(send, refusal.status, refusal.content, refusal.headers)
    except SenderGone:
        return None
    return await _answer(send, 200, {"status": "accepted", "node": node.id, "state": state(node)})


async def accept(node_id: str, report_json: object, now: float) -> NodeSnapshot:
    """The node after this heartbeat; one that a later one overtook changes nothing.

    Raises Misshapen, and Foreign if it speaks of another node, or of one that is not configured.
    """
    beat = heartbeat_of(report_json, now)
    config = next((c for c in current(NodeConfigs).nodes if c.id == node_id == beat.node), None)
    if config is None:
        raise Foreign(node_id)
    fleet = get_fleet()
    known = fleet.node(node_id)
    if known and _overtaken(beat):
        return known
    _last[node_id] = (beat.boot, beat.sequence)
    return await take(fleet, known, config, beat.report, now)


def _overtaken(beat: Heartbeat) -> bool:
    boot, sequence = _last.get(beat.node, ("", -1))
    return boot == beat.boot and beat.sequence <= sequence


async def _taken(scope: Scope, receive: Receive) -> NodeSnapshot:
    if scope["method"] != "POST":
        raise Refused(405, {"error": "A heartbeat is a POST."}, ((b"allow", b"POST"),))
    config = _sender(scope)
    if config.enrolment == "pending":
        raise Refused(403, {"status": "pending", "error": "An operator has not approved this node yet."})
    said = _json(await _body(receive))
    try:
        return await accept(config.id, said, time.time())
    except Misshapen as wrong:
        raise Refused(400, {"error": str(wrong), "field": wrong.field}) from wrong
    except Foreign as foreign:
        raise _unauthorised("This credential belongs to another node.") from foreign


def _sender(scope: Scope) -> NodeConfig:
    """The node whose credential this is; every credential is compared, each in constant time."""
    digest = sha256(_bearer(scope)).hexdigest()
    owners = [c for c in current(NodeConfigs).nodes if c.credential and compare_digest(c.credential, digest)]
    if not owners:
        raise _unauthorised("The credential is missing or unknown.")
    return owners[0]


def _bearer(scope: Scope) -> bytes:
    header: bytes = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, credential = header.partition(b" ")
    return credential.strip() if scheme.lower() == b"bearer" else b""


def _unauthorised(reason: str) -> Refused:
    remedy = "Send the credential that this node was given: Authorization: Bearer …"
    return Refused(401, {"error": f"{reason} {remedy}"}, ((b"www-authenticate", b"Bearer"),))


async def _body(receive: Receive) -> bytes:
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise SenderGone
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise Refused(413, {"error": f"A heartbeat has at most {MOST_BYTES} bytes."}, ((b"connection", b"close"),))
    return bytes(body)


def _json(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as wrong:
        raise Refused(400, {"error": f"The body is no JSON: {wrong}", "field": "the body"}) from wrong


async def _answer(
    send: Send, status: int, content: Mapping[str, str], headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    body = orjson.dumps(content)
    basic = ((b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": [*basic, *headers]})
    await send({"type": "http.response.body", "body": body})
