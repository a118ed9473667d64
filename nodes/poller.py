"""Keeps the fleet's nodes as they are configured, and reads those that can be read.

Nothing is called before an operator approved it. A node without an agent is read whole; of one with an agent only
whether it can be reached from here.
"""

import asyncio
import logging
import time

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.liveness import aged, state
from nodes.core.parameters import Liveness
from nodes.core.report import NodeReport, answered
from nodes.core.values import NodeSnapshot
from nodes.engines import READERS
from nodes.engines.client import fetcher, session
from nodes.fleet.port import FleetState
from nodes.intake import take
from nodes.lib.live import current
from nodes.watch import Clock, Watch

log = logging.getLogger(__name__)
SWEEP_SECONDS = 1.0


class Poller:
    """All nodes of one process; lives on the fleet's loop."""

    def __init__(self, fleet: FleetState, clock: Clock = time.time) -> None:
        self._fleet = fleet
        self._clock = clock
        self._client = session()
        self._watches: dict[str, Watch] = {}
        self._limits = current(Liveness)
        self._sweeper = asyncio.create_task(self._sweep_forever(), name="sweep nodes")

    async def apply(self, configs: NodeConfigs) -> None:
        """From now on these are the nodes: puts and drops them, begins and ends their readings."""
        await self._drop_all_but({config.id for config in configs.nodes})
        for config in configs.nodes:
            await self._take_over(config)
        await self._fleet.order_nodes([config.id for config in configs.nodes])
        self._follow(current(Liveness))

    async def poll_once(self) -> None:
        """Read every node once, all at the same time; returns after the slowest, at most the poll timeout."""
        await asyncio.gather(*(watch.read() for watch in self._watches.values()), return_exceptions=True)

    def ask_now(self, node_id: str) -> None:
        """Read this node as soon as possible; nothing if it is none of ours."""
        if watch := self._watches.get(node_id):
            watch.ask()

    async def loaded(self, node_id: str, model: str) -> None:
        """An engine that answers has the model in memory: that is known at once, its size with the next reading."""
        watch, known = self._watches.get(node_id), self._known(node_id)
        if watch and known and model not in known.resident:
            await take(self._fleet, known, watch.config, answered(known, model), self._clock())
            watch.ask()

    async def sweep(self) -> None:
        """Give every node the status that its silence earns it; real traffic counts as a sign of life."""
        now, limits = self._clock(), current(Liveness)
        for node in self._fleet.snapshot().nodes:
            if (fresh := aged(node, now, limits)) != node:
                await self._fleet.put_node(fresh)
                _note(node, fresh)

    async def close(self) -> None:
        """End all readings."""
        self._sweeper.cancel()
        await asyncio.gather(self._sweeper, *map(self._unwatch, list(self._watches)), return_exceptions=True)
        await self._client.close()

    async def _drop_all_but(self, wanted: set[str]) -> None:
        for node_id in [n for n in self._watches if n not in wanted]:
            await self._unwatch(node_id)
        for node in self._fleet.snapshot().nodes:
            if node.id not in wanted:
                await self._fleet.drop_node(node.id)

    async def _take_over(self, config: NodeConfig) -> None:
        """What another engine said under another address says nothing of this one."""
        known = self._known(config.id)
        moved = known is not None and (known.url, known.engine) != (config.url, config.engine)
        await take(self._fleet, None if moved else known, config, None, self._clock())
        await self._watch(config)

    async def _watch(self, config: NodeConfig) -> None:
        watch = self._watches.get(config.id)
        if watch and _read_alike(watch.config, config):
            watch.config = config
            return
        await self._unwatch(config.id)
        if config.enrolment == "approved":
            reader = READERS[config.engine](fetcher(self._client, config.url, config.engine), config.url)
            self._watches[config.id] = Watch(config, reader, self._tell, self._clock)

    async def _unwatch(self, node_id: str) -> None:
        if watch := self._watches.pop(node_id, None):
            await watch.stop()

    async def _tell(self, config: NodeConfig, report: NodeReport) -> None:
        known = self._known(config.id)
        _note(known, await take(self._fleet, known, config, report, self._clock()))

    def _known(self, node_id: str) -> NodeSnapshot | None:
        return self._fleet.node(node_id)

    def _follow(self, limits: Liveness) -> None:
        """A changed interval holds at once, not after the old one."""
        if limits != self._limits:
            self._limits = limits
            for watch in self._watches.values():
                watch.ask()

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await self.sweep()
            except Exception:
                log.exception("sweeping the nodes failed; it is done again in a second")


_poller: Poller | None = None


def use_poller(poller: Poller | None) -> None:
    """From now on this is the poller of this process."""
    global _poller
    _poller = poller


def ask_now(node_id: str) -> None:
    """Have this process's poller read a node at once; nothing in a process that has none."""
    if _poller is not None:
        _poller.ask_now(node_id)


async def now_loaded(node_id: str, model: str) -> None:
    """Tell this process's poller that a node has just answered with a model; nothing in a process that has none."""
    if _poller is not None:
        await _poller.loaded(node_id, model)


def _read_alike(one: NodeConfig, other: NodeConfig) -> bool:
    """Would both be read in the same way?"""
    return _manner(one) == _manner(other)


def _manner(config: NodeConfig) -> tuple[str, str, str, bool]:
    return config.url, config.engine, config.enrolment, bool(config.credential)


def _note(before: NodeSnapshot | None, after: NodeSnapshot) -> None:
    """One line for each change of state."""
    was, now = state(before) if before else "new", state(after)
    if was != now:
        log.info("node %s: %s, was %s%s", after.name, now, was, f". {after.trouble}" if after.trouble else "")
