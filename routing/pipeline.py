"""THE WALK: route, queue, stream, learn, on one page. The endpoint records how it came out."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from routing import eventlog
from routing.aftermath import judge, judged, note_life, proven, verdict
from routing.autopull import auto_pull
from routing.core.problems import SlotRefused, UpstreamFailed
from routing.core.request import InferenceRequest
from routing.notebook import notebook
from routing.queueing import node_at, slot
from routing.recorder import Trace
from routing.room import make_room
from routing.router import targets
from routing.speaking import answered
from routing.upstreams import Head


async def serve(request: InferenceRequest, trace: Trace) -> AsyncGenerator[Head | bytes, None]:
    """First the Head, then the answer's bytes. Raises Problem before the Head, UpstreamFailed after it."""
    over = partial(proven, request, trace)
    async for target in targets(request, trace, make_room, auto_pull):  # best first, then next best; holds; falls back
        node = target.scored.candidate.node
        try:
            async with slot(target.ticket, target.queue, trace) as standing:  # in turn; a rebalance may have moved it
                node = node_at(standing.queue)
                trace.tries(standing, node)
                notebook.note(trace)  # who looks while it runs sees its node
                async with (
                    judged(request, trace),  # only the engine's own terminal line proves success
                    aclosing(answered(node, request, trace.served_model, over)) as parts,
                ):
                    async for part in parts:
                        judge(request, trace, part)  # a whole answer is judged before anything of it is sent
                        await note_life(trace)
                        trace.started = True
                        yield part
            return
        except (SlotRefused, UpstreamFailed) as failure:  # full, paused, lost, dead: the next best
            trace.failed(failure, node.name)
            if isinstance(failure, UpstreamFailed):
                eventlog.tried(trace)
            if trace.started or not getattr(failure, "retryable", True):  # half an answer can't be taken back
                raise
    raise verdict(request, trace)
