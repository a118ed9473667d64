"""A model that no node has is pulled when a request asks for it, if the operator wants that (spec §3)."""

import asyncio
import re
import time
from contextlib import aclosing

from nodes.core.names import normal
from nodes.core.values import Ticket
from nodes.fleet import get_fleet
from nodes.lib.live import current
from routing.core.access import Keys
from routing.core.parameters import QueuePolicy
from routing.core.problems import Problem
from routing.management.pulls import Pull, pull_of
from routing.recorder import Trace
from routing.router import hold, refused

NOT_IN_REGISTRY = re.compile(r"file does not exist|manifest unknown", re.IGNORECASE)


async def auto_pull(ticket: Ticket, trace: Trace) -> bool:
    """Have the model that is asked for pulled, and wait for it; False if that is not wanted, or not this key's right.

    Who waits is held, and the decision tells how far it is. Raises Problem: the registry does not know the model, the
    pull failed, or it takes too long.
    """
    request = trace.request
    if request is None or not current(QueuePolicy).auto_pull or not may_pull(request.key):
        return False
    await hold(ticket, request)
    try:
        first = request.demand.models[0]
        await _pulled(request.asked if normal(request.asked) == first else first, trace)
    finally:
        await get_fleet().leave(ticket.id)
    return True


def may_pull(key: str) -> bool:
    """May the key of this name have models pulled? Who needs no key may."""
    return not key or any(known.pull for known in current(Keys).by_digest.values() if known.name == key)


async def _pulled(model: str, trace: Trace) -> None:
    pull, began = _begun(model, f"decision {trace.id}"), time.perf_counter()
    try:
        async with asyncio.timeout(current(QueuePolicy).auto_pull_seconds):
            await _follow(pull, trace)
    except TimeoutError as error:
        words = f"'{model}' is still being pulled onto {pull.node.name} ({pull.progress}); try again"
        raise refused("hold_expired", words) from error
    except Problem as problem:
        raise _worded(model, problem) from problem
    finally:
        told = f"pull of {model}: {pull.trouble.message if pull.trouble else pull.progress}"
        trace.attempts.append({"node": pull.node.name, "error": told, "ms": _ms(time.perf_counter() - began)})
    trace.reason = ""


def _begun(model: str, who: str) -> Pull:
    try:
        return pull_of(model, None, {}, who)
    except Problem as problem:
        raise _worded(model, problem) from problem


async def _follow(pull: Pull, trace: Trace) -> None:
    async with aclosing(pull.lines()) as lines:
        async for _ in lines:
            trace.reason = f"pulling {pull.model} onto {pull.node.name}: {pull.progress}"


def _worded(model: str, problem: Problem) -> Problem:
    """Nobody in the world knows it: 404; otherwise 503, and why."""
    if NOT_IN_REGISTRY.search(problem.message):
        return Problem("unknown_model", 404, model)
    return refused("upstream_failed", f"'{model}' is on no node and could not be pulled: {problem.message}")


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
