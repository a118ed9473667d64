"""One router a worker, with its usual patience, for all tests that bring nodes and models of their own."""

from collections.abc import Iterator

import pytest

from tests.conftest import routers
from tests.walks.changing.parts import Fleet, fleet_of


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A fleet that has whatever nodes earlier tests added."""
    with routers(tmp_path_factory.mktemp("changing")) as start, fleet_of(start(FLEET_POLL_INTERVAL="1")) as fleet:
        yield fleet
