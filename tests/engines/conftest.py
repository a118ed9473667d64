"""A router with two real engines."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.conftest import Router, routers, until

from .engine import Engine, model_file, two_engines

MISSING = "no real engine here: pip install --no-deps --only-binary :all: -r requirements-engine.txt"


@dataclass(frozen=True)
class Fleet:
    """A running router and its engines, by node name."""

    router: Router
    engines: dict[str, Engine]

    def client(self) -> openai.OpenAI:
        """The official client, which shall not repeat anything itself."""
        return openai.OpenAI(base_url=f"{self.router.url}/v1", api_key="none", max_retries=0, timeout=120)

    def async_client(self) -> openai.AsyncOpenAI:
        """The same for coroutines."""
        return openai.AsyncOpenAI(base_url=f"{self.router.url}/v1", api_key="none", max_retries=0, timeout=120)

    def decision(self, number: str) -> Any:
        """One decision as the API shows it, once it has ended."""
        path = f"/fleet/api/v1/decisions/{number}"
        until(lambda: self._get(path)["outcome"])
        return self._get(path)

    def loaded(self) -> set[str]:
        """The names of the nodes that have a model in memory."""
        return {row["name"] for row in self._get("/fleet/api/v1/nodes")["results"] if row["resident"]}

    def _get(self, path: str) -> Any:
        return self.router.get(path)


@contextmanager
def fleets(folder: Path) -> Iterator[Fleet]:
    """A router that knows two engines, and what they have loaded."""
    model = model_file()
    if model is None:
        pytest.skip(MISSING)
    with two_engines(model, folder) as engines, routers(folder) as start:
        router = start()
        for name, engine in engines.items():
            router.manage("node", "add", name, engine.url, "--engine", "openai")
        fleet = Fleet(router, engines)
        until(lambda: fleet.loaded() == set(engines), within=30)
        yield fleet


@pytest.fixture(scope="package")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One fleet for all tests that leave it as it is."""
    with fleets(tmp_path_factory.mktemp("engines")) as one:
        yield one


@pytest.fixture
def mortal_fleet(tmp_path: Path) -> Iterator[Fleet]:
    """A fleet of one's own, for a test that breaks something."""
    with fleets(tmp_path) as one:
        yield one


@pytest.fixture
def client(fleet: Fleet) -> Iterator[openai.OpenAI]:
    """The official client of that fleet."""
    with fleet.client() as sdk:
        yield sdk
