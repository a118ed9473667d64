"""How a change made by any process comes into force in this one: one counter, looked at once a second."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable

import nodes.configs
import routing.aliases
import routing.keys
from fleetsite import overrides
from fleetsite.parameters import resolve
from nodes import changes
from nodes.lib.background import behind
from nodes.lib.live import install
from nodes.lib.local import TrustedProxies
from nodes.lib.parameter import ParametersVersion
from routing.core.parameters import AccessPolicy

log = logging.getLogger(__name__)
EVERY = 1.0  # seconds


def load_parameters() -> list[object]:
    """Every group of parameters as it is in force, and what is made from them."""
    groups = resolve(os.environ, overrides.in_force(overrides.latest()))
    access = next(group for group in groups if isinstance(group, AccessPolicy))
    return [*groups, TrustedProxies(access.trusted_proxies), ParametersVersion(overrides.version())]


LOADERS: tuple[Callable[[], Iterable[object]], ...] = (
    load_parameters,
    lambda: [nodes.configs.load()],
    lambda: [routing.keys.load()],
    lambda: [routing.aliases.load()],
)


def load() -> list[object]:
    """Everything that servers hold, read from the database now."""
    return [value for loader in LOADERS for value in loader()]


async def load_all() -> None:
    """Install everything that servers hold; raises what the database or a bad value raises."""
    _install(await behind(load))


async def watch(on_change: Callable[[], Awaitable[None]], every: float = EVERY) -> None:
    """For ever: after each change (and once at first) install everything and await `on_change`.

    Trouble is logged once and tried again: a database that is away must not stop what runs.
    """
    seen: int | None = None
    trouble = ""
    while True:
        try:
            seen, trouble = await _look(seen, on_change), ""
        except Exception as error:
            trouble = _tell(error, trouble)
        await asyncio.sleep(every)


async def _look(seen: int | None, on_change: Callable[[], Awaitable[None]]) -> int:
    """The counter, after whatever it told of has come into force."""
    count, values = await behind(_news, seen)
    if values:
        _install(values)
        await on_change()
    return count


def _news(seen: int | None) -> tuple[int, list[object]]:
    """The counter, and everything if it differs; the counter is read first, so that no change slips between."""
    count = changes.count()
    return count, [] if count == seen else load()


def _install(values: Iterable[object]) -> None:
    for value in values:
        install(value)


def _tell(error: Exception, told: str) -> str:
    """Log this trouble unless it was the last one told; what was told."""
    trouble = f"{type(error).__name__}: {error}"
    if trouble != told:
        log.error("changes can't be read or applied, trying again each second: %s", trouble)
    return trouble
