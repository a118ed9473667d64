"""The machine at work: loads one model at a time, evicts what is idle, gives each runner its slots."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from nodes.simulated.faults import EngineError, Faults
from nodes.simulated.machine import EMBEDDING_CONTEXT, FOREVER, Machine, ModelFile
from nodes.simulated.seen import Seen

BUSY = "server busy, please try again.  maximum pending requests exceeded"
GIB = 2**30


@dataclass(eq=False, slots=True)
class Runner:
    """One model in memory, or on its way there."""

    file: ModelFile
    context: int
    size_gb: float
    keep_alive: float
    slots: asyncio.Semaphore
    ready: bool = False
    users: int = 0
    used_at: float = field(default_factory=time.time)
    expiry: asyncio.TimerHandle | None = None

    @property
    def expires_at(self) -> float:
        """Epoch seconds; while in use, as if it were let go now."""
        return (time.time() if self.users or not self.ready else self.used_at) + self.keep_alive


class Engine:
    """Models on disk and in memory."""

    def __init__(self, machine: Machine, files: Iterable[ModelFile], seen: Seen, faults: Faults) -> None:
        self.machine, self.seen, self.faults = machine, seen, faults
        self.files = {file.name: file for file in files}
        self.runners: dict[str, Runner] = {}
        self._scheduler = asyncio.Lock()
        self._pending = 0

    @asynccontextmanager
    async def slot(self, file: ModelFile, context: int | None, keep_alive: float | None) -> AsyncIterator[Runner]:
        """The loaded runner, with one of its slots ours until the end."""
        with self.seen.request(file.name):
            async with self.held(file, context, keep_alive) as runner, runner.slots:
                with self.seen.counted(self.seen.generating, file.name):
                    yield runner

    @asynccontextmanager
    async def held(self, file: ModelFile, context: int | None, keep_alive: float | None) -> AsyncIterator[Runner]:
        """The loaded runner, which stays as long as we hold it. EngineError: queue full, or too big for the machine."""
        runner = await self._scheduled(file, context or self._usual_context(file))
        runner.keep_alive = self.machine.keep_alive if keep_alive is None else keep_alive
        runner.users += 1
        self._stop_expiry(runner)
        try:
            yield runner
        finally:
            self._let_go(runner)

    def unload(self, file: ModelFile) -> None:
        """Unload a model now, or as soon as nobody uses it."""
        runner = self.runners.get(file.name)
        if runner is not None:
            runner.keep_alive = 0.0
            self._expire_if_idle(runner)

    def lose(self, file: ModelFile) -> None:
        """The process behind a model is gone."""
        runner = self.runners.get(file.name)
        if runner is not None:
            self._drop(runner)

    def preload(self) -> None:
        """Everything on disk is in memory for good: an engine that serves what it was started with."""
        for file in self.files.values():
            self._place(file, self.machine.context, FOREVER).ready = True

    def close(self) -> None:
        """Forget what is in memory, as the end of the process does."""
        for runner in tuple(self.runners.values()):
            self._drop(runner)

    async def _scheduled(self, file: ModelFile, context: int) -> Runner:
        runner = self._ready(file, context)
        if runner is not None:
            return runner
        if self._pending > self.machine.max_queue:
            raise EngineError(503, BUSY)
        self._pending += 1
        try:
            async with self._scheduler:
                return self._ready(file, context) or await self._load(file, context)
        finally:
            self._pending -= 1

    def _ready(self, file: ModelFile, context: int) -> Runner | None:
        runner = self.runners.get(file.name)
        return runner if runner is not None and runner.ready and runner.context == context else None

    async def _load(self, file: ModelFile, context: int) -> Runner:
        await self._make_room(file, context)
        runner = self._place(file, context, self.machine.keep_alive)
        try:
            await asyncio.sleep(self._load_seconds(file))
        except BaseException:
            self._drop(runner)
            raise
        runner.ready = True
        self.seen.note(self.seen.loads, file.name)
        return runner

    def _place(self, file: ModelFile, context: int, keep_alive: float) -> Runner:
        parallel = 1 if file.embeds else self.machine.parallel
        size = file.resident_gb(context, parallel)
        runner = Runner(file, context, size, keep_alive, asyncio.Semaphore(parallel))
        self.runners[file.name] = runner
        return runner

    def _load_seconds(self, file: ModelFile) -> float:
        rate = self.machine.load_gbps
        return self.faults.slow_load * file.size_gb / rate if rate else 0.0

    async def _make_room(self, file: ModelFile, context: int) -> None:
        need = file.resident_gb(context, 1 if file.embeds else self.machine.parallel)
        if need > self.machine.memory_gb:
            raise EngineError(500, self._too_big(need))
        while self._in_the_way(file, need):
            await self.seen.wait_for(lambda: self._victim(file) or not self._in_the_way(file, need), timeout=None)
            victim = self._victim(file)
            if victim is not None:
                self._evict(victim, file)

    def _in_the_way(self, file: ModelFile, need: float) -> bool:
        taken = sum(runner.size_gb for runner in self.runners.values())
        full = len(self.runners) >= self.machine.max_loaded or taken + need > self.machine.memory_gb
        return bool(self.runners) and (full or file.name in self.runners)

    def _victim(self, file: ModelFile) -> Runner | None:
        """The same model with another context, once idle; else the idle runner that would go first."""
        own = self.runners.get(file.name)
        idle = [runner for runner in self.runners.values() if not runner.users and own in (None, runner)]
        return min(idle, key=lambda runner: (runner.keep_alive, runner.used_at), default=None)

    def _evict(self, victim: Runner, file: ModelFile) -> None:
        if victim.file.name != file.name:
            self.seen.note(self.seen.evictions, victim.file.name)
        self._drop(victim)

    def _too_big(self, need: float) -> str:
        have = self.machine.memory_gb
        sizes = f"({need * 1e9 / GIB:.1f} GiB) than is available ({have * 1e9 / GIB:.1f} GiB)"
        return f"model requires more system memory {sizes}"

    def _usual_context(self, file: ModelFile) -> int:
        return EMBEDDING_CONTEXT if file.embeds else self.machine.context

    def _let_go(self, runner: Runner) -> None:
        runner.users -= 1
        runner.used_at = time.time()
        self._expire_if_idle(runner)
        self.seen.ring()

    def _expire_if_idle(self, runner: Runner) -> None:
        self._stop_expiry(runner)
        if runner.users or self.runners.get(runner.file.name) is not runner:
            return
        if runner.keep_alive <= 0:
            self._drop(runner)
        elif runner.keep_alive < FOREVER:
            runner.expiry = asyncio.get_running_loop().call_later(runner.keep_alive, self._drop, runner)

    def _stop_expiry(self, runner: Runner) -> None:
        if runner.expiry is not None:
            runner.expiry.cancel()
            runner.expiry = None

    def _drop(self, runner: Runner) -> None:
        self._stop_expiry(runner)
        if self.runners.get(runner.file.name) is runner:
            del self.runners[runner.file.name]
            if runner.ready:
                self.seen.note(self.seen.unloads, runner.file.name)
