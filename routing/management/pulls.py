"""Pulls at work. Engines give up a pull when their client leaves: each is ours, and ends when all who wait left."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack
from typing import Any

import orjson

from nodes.core.names import normal
from nodes.core.values import NodeSnapshot
from nodes.fleet import get_fleet
from nodes.lib.live import current
from routing.core.parameters import FailurePolicy
from routing.core.placing import to_pull
from routing.core.problems import Problem, UpstreamFailed
from routing.management.inventory import known
from routing.management.relay import JSON_HEADERS, words_of
from routing.upstreams.client import Response, post
from routing.upstreams.passthrough import within

log = logging.getLogger(__name__)
SUCCESS = "success"
_at_work: dict[tuple[str, str], "Pull"] = {}  # by node and model


class Pull:
    """One model on its way to one node; followed by as many as like."""

    def __init__(self, node: NodeSnapshot, model: str, content: Mapping[str, Any]) -> None:
        self.node, self.model = node, model
        self.trouble: Problem | None = Problem("interrupted", 503, f"the pull of {model} was given up")
        self._content = {**content, "model": model, "stream": True}
        # The latest line of each layer and each status, numbered, in order: what a layer was at before is no news.
        self._news: dict[tuple[object, object], tuple[int, Mapping[str, Any], bytes]] = {}
        self._count = self._followers = 0
        self._ended = False
        self._bell = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"pull {model} onto {node.name}")

    @property
    def progress(self) -> str:
        """How far it is: `43 %` of the layers that it knows of, else what it is at."""
        said = [line for _, line, _ in self._news.values()]
        total, completed = (sum(_whole(line.get(name)) for line in said) for name in ("total", "completed"))
        if total:
            return f"{100 * completed // total} %"
        return str(said[-1].get("status", "")) if said else "asked for"

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """The news so far, then each as it comes, to the end. Raises Problem. Who stops to listen has left."""
        self._followers += 1
        seen = 0
        try:
            while not self._ended or seen < self._count:
                fresh = [(number, line) for number, _, line in self._news.values() if number > seen]
                for number, line in fresh:
                    seen = number
                    yield line
                if not fresh and not self._ended:
                    self._bell.clear()
                    await self._bell.wait()
            if self.trouble:
                raise self.trouble
        finally:
            self._followers -= 1
            if not self._followers:
                self.give_up()

    def give_up(self) -> None:
        """End it, unless it has ended."""
        self._end()
        self._task.cancel()

    async def gone(self) -> None:
        """Return once it has ended, however it did."""
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            await self._read()
            self.trouble = None
        except Problem as problem:
            self.trouble = problem
        except UpstreamFailed as failure:
            self.trouble = Problem("upstream_failed", failure.status, failure.message)
        finally:
            log.info("pull of %s onto %s: %s", self.model, self.node.name, self.trouble or SUCCESS)
            self._end()

    async def _read(self) -> None:
        """Take note of each line; the last is told once the fleet knows of the model."""
        last: Mapping[str, Any] = {}
        async for line in _lines(self.node, self._content):
            if last := _read_line(line):
                if "error" in last:
                    raise Problem("upstream_failed", 500, str(last["error"]))
                if last.get("status") == SUCCESS:
                    await known([self.node], self.model, True)
                self._tell(last, line)
        if last.get("status") != SUCCESS:
            raise UpstreamFailed(f"{self.node.name} ended the pull of {self.model} without success")

    def _tell(self, said: Mapping[str, Any], line: bytes) -> None:
        what = said.get("digest"), said.get("status")
        self._news.pop(what, None)
        self._count += 1
        self._news[what] = (self._count, said, line)
        self._bell.set()

    def _end(self) -> None:
        self._ended = True
        self._bell.set()
        if _at_work.get(_place(self.node, self.model)) is self:
            del _at_work[_place(self.node, self.model)]


def pull_of(model: str, node: NodeSnapshot | None, content: Mapping[str, Any], who: str) -> Pull:
    """The pull of this model that is at work, on that node if one is named; else a new one. Raises Problem."""
    running = (p for p in _at_work.values() if normal(p.model) == normal(model) and (not node or p.node.id == node.id))
    if joined := next(running, None):
        return joined
    node = node or to_pull(get_fleet().snapshot(), normal(model))
    log.info("pull of %s onto %s, for %s", model, node.name, who)
    begun = _at_work[_place(node, model)] = Pull(node, model, content)
    return begun


async def stop() -> None:
    """Give up all pulls."""
    for pull in list(_at_work.values()):
        pull.give_up()
        await pull.gone()


def _place(node: NodeSnapshot, model: str) -> tuple[str, str]:
    return node.id, normal(model)


async def _lines(node: NodeSnapshot, content: Mapping[str, Any]) -> AsyncIterator[bytes]:
    """An engine's news of a pull, line by line; Problem for an answer that is none."""
    limit = current(FailurePolicy).answer
    async with AsyncExitStack() as stack:
        async with within(node, limit, "no answer"):
            answer = await stack.enter_async_context(post(node, "/api/pull", orjson.dumps(content), JSON_HEADERS))
            if answer.status >= 400:
                raise Problem("upstream_failed", answer.status, words_of(await answer.read()))
        while line := await _line(node, answer, limit):
            yield line


async def _line(node: NodeSnapshot, answer: Response, limit: float) -> bytes:
    async with within(node, limit, "no news of the pull"):
        return await answer.content.readline()


def _read_line(line: bytes) -> Mapping[str, Any]:
    """A line's object; empty for one that is none."""
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
