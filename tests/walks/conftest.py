"""The fleets of walks: a few a worker, shared by all tests; each test asks for a model that nobody asked for before."""

from collections.abc import Iterator

import pytest

from tests.conftest import routers, until
from tests.walks.scenes import Fleet, four_nodes
from tests.walks.scripted import Script, scripted


@pytest.fixture(scope="session")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Four nodes behind a router with its usual patience."""
    with routers(tmp_path_factory.mktemp("steady")) as start, four_nodes(start) as fleet:
        yield fleet


@pytest.fixture(scope="session")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Four nodes behind a router whose clocks and circuits are short."""
    clocks = {
        "FLEET_LOAD_TIMEOUT": "0.05",
        "FLEET_LOAD_TIMEOUT_PER_GB": "0",
        "FLEET_FIRST_TOKEN_TIMEOUT": "0.5",
        "FLEET_STREAM_GAP_TIMEOUT": "0.5",
        "FLEET_ANSWER_TIMEOUT": "0.5",
        "FLEET_CIRCUIT_OPEN_SECONDS": "2",
    }
    with routers(tmp_path_factory.mktemp("hasty")) as start, four_nodes(start, **clocks) as fleet:
        yield fleet


@pytest.fixture(scope="session")
def script(steady: Fleet) -> Iterator[Script]:
    """An engine that says what the test writes down, added to the fleet."""
    with scripted() as engine:
        steady.enrol(("scripted", engine.url, "ollama", {}))
        yield engine


@pytest.fixture
def fleet(steady: Fleet) -> Iterator[Fleet]:
    """Four healthy nodes; afterwards nothing runs or waits anywhere, whatever the test did."""
    yield from _kept_in_order(steady)


@pytest.fixture
def hasty_fleet(hasty: Fleet) -> Iterator[Fleet]:
    """As `fleet`, with short clocks."""
    yield from _kept_in_order(hasty)


@pytest.fixture
def model(request: pytest.FixtureRequest) -> str:
    """A model that all nodes of the test's fleet have, cold, and that no other test asks for."""
    name = "hasty_fleet" if "hasty_fleet" in request.fixturenames else "fleet"
    fleet: Fleet = request.getfixturevalue(name)
    return fleet.fresh.popleft()


def _kept_in_order(fleet: Fleet) -> Iterator[Fleet]:
    yield fleet
    fleet.heal()
    until(lambda: not fleet.look("queues")["results"])
    busy = {name: +one.node.seen.in_flight.now for name, one in fleet.nodes.items() if +one.node.seen.in_flight.now}
    assert not busy, f"engines still work for nobody: {busy}"


@pytest.fixture
def cpp_model(fleet: Fleet) -> str:
    """A model that only the node `cpp` has, and that no other test asks for."""
    return fleet.fresh_openai.popleft()


@pytest.fixture
def lone_model(fleet: Fleet) -> str:
    """A model that only the node `alone` has, one at a time, and that no other test asks for."""
    return fleet.fresh_alone.popleft()
