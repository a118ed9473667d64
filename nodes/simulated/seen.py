"""What a simulated node saw and did, and a way to wait for it: tests need no sleeps."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

KEPT = 1000


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)


@dataclass(slots=True)
class Gauge:
    """How many there are now, and the most there ever were, by model."""

    now: Counter[str] = field(default_factory=Counter)
    peak: Counter[str] = field(default_factory=Counter)

    def add(self, model: str, by: int) -> None:
        """So many more, or fewer."""
        self.now[model] += by
        self.peak[model] = max(self.peak[model], self.now[model])


@dataclass(slots=True)
class Seen:
    """Counters by path or by model, and the last 1000 requests. Read them anywhere; wait on the node's own loop."""

    requests: Counter[str] = field(default_factory=Counter)  # by path
    received: deque[Received] = field(default_factory=lambda: deque(maxlen=KEPT))
    in_flight: Gauge = field(default_factory=Gauge)  # requests that this node has to answer, waiting ones too
    generating: Gauge = field(default_factory=Gauge)  # those that have a slot of the runner
    loads: Counter[str] = field(default_factory=Counter)
    unloads: Counter[str] = field(default_factory=Counter)  # for whatever reason
    evictions: Counter[str] = field(default_factory=Counter)  # unloads that made room for another
    cancelled: Counter[str] = field(default_factory=Counter)  # the client left before the end
    completed: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    _waiting: set["asyncio.Future[None]"] = field(default_factory=set)

    def bodies(self, path: str) -> list[Any]:
        """The JSON bodies that came to a path, oldest first."""
        return [received.json() for received in self.received if received.path == path]

    @contextmanager
    def counted(self, gauge: Gauge, model: str) -> Iterator[None]:
        """While inside, one more of this model."""
        gauge.add(model, 1)
        self.ring()
        try:
            yield
        finally:
            gauge.add(model, -1)
            self.ring()

    @contextmanager
    def request(self, model: str) -> Iterator[None]:
        """While inside, one more request for this model; it ends completed, cancelled or, by an error, neither."""
        try:
            with self.counted(self.in_flight, model):
                yield
            self.note(self.completed, model)
        except (asyncio.CancelledError, ConnectionError):
            self.note(self.cancelled, model)
            raise

    def note(self, counter: Counter[str], name: str) -> None:
        """One more of these happened."""
        counter[name] += 1
        self.ring()

    def ring(self) -> None:
        """Something changed: whoever waits looks again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    async def wait_for(self, condition: Callable[[], object], timeout: float | None = 10.0) -> None:
        """Return as soon as the condition holds; TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while not condition():
                waiter = asyncio.get_running_loop().create_future()
                self._waiting.add(waiter)
                await waiter

    def counts(self) -> dict[str, Any]:
        """Every counter, for JSON."""
        plain = ("requests", "loads", "unloads", "evictions", "cancelled", "completed")
        gauges = {name: {"now": dict(g.now), "peak": dict(g.peak)} for name, g in self._gauges().items()}
        return {name: dict(getattr(self, name)) for name in plain} | gauges | {"tokens": self.tokens}

    def _gauges(self) -> dict[str, Gauge]:
        return {"in_flight": self.in_flight, "generating": self.generating}
