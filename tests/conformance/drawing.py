"""How random values are drawn: makers that need only a generator of random numbers."""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.conformance.facts import Json

Make = Callable[[random.Random], Any]


def one_of(values: Sequence[Any]) -> Make:
    """A maker that draws one of the values."""
    return lambda rng: copy.copy(rng.choice(values))


def rarely(usual: Any, odd: Sequence[Any], chance: float = 0.06) -> Make:
    """A maker of the usual value, and now and then of an odd one."""
    return lambda rng: rng.choice(odd) if rng.random() < chance else usual


def draw(rng: random.Random, makers: Mapping[str, Make], keep: float = 0.85, null: float = 0.03) -> Json:
    """One value for each key, some keys left out, a few null."""
    kept = [key for key in makers if rng.random() < keep]
    return {key: None if rng.random() < null else makers[key](rng) for key in kept}


def few(rng: random.Random, items: Any, chance: float = 0.5) -> list[Any]:
    """Some of the items, in their order."""
    return [item for item in items if rng.random() < chance]


def spelt(rng: random.Random, model: str) -> str:
    """The model's name in one of the ways people write it."""
    short = model.removesuffix(":latest") if rng.random() < 0.5 else model
    prefix = {0: ("", "library/", "registry.ollama.ai/library/"), 1: ("", "registry.ollama.ai/")}
    full = rng.choice(prefix.get(short.count("/"), ("",))) + short
    return rng.choice((full, full, full.upper(), full.title()))
