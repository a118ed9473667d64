"""`/healthz`: the process answers. `/readyz`: it can route. Raw handlers that touch neither database nor nodes."""

from typing import Any

import orjson

from nodes.core.serving import serves
from nodes.core.values import FleetSnapshot
from nodes.fleet import get_fleet

REMEDY = "Add one with `manage.py node add NAME URL`, or see `manage.py node list`."


async def healthz(scope: Any, receive: Any, send: Any) -> None:
    """200 as long as the serving loop turns."""
    await _answer(send, 200, {"status": "ok"})


async def readyz(scope: Any, receive: Any, send: Any) -> None:
    """200 if a request could be routed now, else 503 and why not."""
    reason = why_not(get_fleet().snapshot())
    await _answer(send, 503 if reason else 200, {"ready": not reason} | ({"reason": reason} if reason else {}))


def why_not(fleet: FleetSnapshot) -> str:
    """Why this fleet can route nothing; empty if it can."""
    if not any(node.enrolment == "approved" for node in fleet.nodes):
        return f"There is no approved node. {REMEDY}"
    if not any(map(serves, fleet.nodes)):
        return f"No node takes requests now. {REMEDY}"
    return ""


async def _answer(send: Any, status: int, body: dict[str, object]) -> None:
    content = orjson.dumps(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
