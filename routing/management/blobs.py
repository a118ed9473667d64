"""`/api/blobs/DIGEST`: is it there, and here it is. It may be larger than this machine's memory: it flows through."""

from collections.abc import AsyncIterator

from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.lib.live import current
from routing import wire
from routing.core.parameters import FailurePolicy
from routing.core.placing import home_of_blobs
from routing.core.problems import UpstreamFailed
from routing.management.asked import Asked, Parts
from routing.management.relay import type_of
from routing.upstreams import Head

from routing.upstreams.client import Body, asked as ask  # isort: skip
from routing.upstreams.passthrough import within


async def blob(asked: Asked) -> Parts:
    """As the node that is named answers, else the home of blobs."""
    asked.check()
    node = asked.node() or home_of_blobs(get_fleet().snapshot())
    if asked.method == "HEAD":
        yield await _answer(node, asked, b"")
        return
    upload = Upload(asked.receive)
    try:
        yield await _answer(node, asked, upload)
    except UpstreamFailed:
        if upload.given_up:
            raise wire.ClientGone from None
        raise


class Upload:
    """A body that is passed on as it comes; the gap between two pieces is bounded."""

    def __init__(self, receive: wire.Receive) -> None:
        self.given_up = False  # the client left in the middle
        self._receive = receive

    async def __aiter__(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.given_up = True
                raise wire.ClientGone
            yield message.get("body", b"")
            more = message.get("more_body", False)


async def _answer(node: NodeSnapshot, asked: Asked, body: Body) -> Head:
    async with within(node, current(FailurePolicy).answer, "no answer"):
        async with ask(node, asked.method, asked.path, body, []) as answer:
            return Head(answer.status, type_of(answer), await answer.read())
