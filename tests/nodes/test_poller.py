"""The poller against real sockets: engines that answer, refuse, hang, load, or are none."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from nodes.core.configs import NodeConfig, NodeConfigs
from nodes.core.liveness import state
from nodes.core.parameters import Liveness
from nodes.core.values import DiskModel, Memory, NodeSnapshot
from nodes.lib.live import current, install
from nodes.poller import Poller, ask_now, now_loaded, use_poller
from tests.nodes.parts import NOW, Engine, RecordingFleet, config, until
from tests.nodes.recorded import LLAMA_CPP, LLAMA_CPP_LOADING, OLLAMA

SMOL = "smollm2:135m"


@pytest.fixture(autouse=True)
def liveness() -> Iterator[None]:
    before = current(Liveness)
    install(Liveness(poll_interval=300, poll_timeout=3))
    yield
    install(before)


class Clock:
    """A clock that only the test moves."""

    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fleet() -> RecordingFleet:
    return RecordingFleet()


@pytest.fixture
async def poller(fleet: RecordingFleet, clock: Clock) -> AsyncIterator[Poller]:
    opened = Poller(fleet, clock)  # type: ignore[arg-type]
    yield opened
    await opened.close()


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine(OLLAMA) as running:
        yield running


@pytest.fixture
async def black_hole() -> AsyncIterator[str]:
    """Accepts connections and never says a word."""
    held: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for writer in held:
        writer.close()
    server.close()


def impatient() -> None:
    install(replace(current(Liveness), poll_timeout=0.1))


async def polled(poller: Poller, fleet: RecordingFleet, *configs: NodeConfig) -> NodeSnapshot:
    """The first of these nodes after one poll."""
    await poller.apply(NodeConfigs(configs))
    await poller.poll_once()
    return fleet.nodes[configs[0].id]


async def test_one_poll_makes_a_node_online_with_its_models(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    node = await polled(poller, fleet, config(url=engine.url))
    assert (state(node), set(node.resident), len(node.on_disk)) == ("online", {SMOL}, 2)


async def test_an_openai_engine_is_read_as_one(poller: Poller, fleet: RecordingFleet) -> None:
    async with Engine(LLAMA_CPP) as engine:
        node = await polled(poller, fleet, config(url=engine.url, engine="openai"))
    assert (state(node), node.flavour, node.engine_parallel) == ("online", "llama.cpp", 2)


async def test_a_granted_nodes_memory_is_known(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    node = await polled(poller, fleet, config(url=engine.url, granted_gb=16.0))
    assert (node.memory.total_gb, node.memory.available_gb) == (16.0, 16.0 - 0.098363022)


async def test_nodes_stand_in_the_order_of_their_enrolment(poller: Poller, fleet: RecordingFleet) -> None:
    await poller.apply(NodeConfigs((config(id="b", enrolment="pending"), config(id="a", enrolment="pending"))))
    assert fleet.order == ["b", "a"]


async def test_a_pending_node_is_known_and_never_called(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    node = await polled(poller, fleet, config(url=engine.url, enrolment="pending"))
    poller.ask_now(node.id)
    await poller.poll_once()
    assert (state(node), engine.calls) == ("pending", [])


async def test_an_approved_node_is_read_without_being_asked_for(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    await poller.apply(NodeConfigs((config(url=engine.url, enrolment="pending"),)))
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    await until(lambda: state(fleet.nodes["studio"]) == "online")


async def test_a_node_is_read_again_every_interval(poller: Poller, engine: Engine) -> None:
    install(replace(current(Liveness), poll_interval=0.05))
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    await until(lambda: engine.calls.count("GET /api/ps") >= 3)


async def test_a_shorter_interval_holds_at_once(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    nodes = NodeConfigs((config(url=engine.url),))
    await polled(poller, fleet, *nodes.nodes)
    install(replace(current(Liveness), poll_interval=0.05))
    await poller.apply(nodes)
    await until(lambda: engine.calls.count("GET /api/ps") >= 3)


async def test_a_removed_node_leaves_the_fleet(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    await polled(poller, fleet, config(url=engine.url))
    await poller.apply(NodeConfigs())
    assert fleet.nodes == {}


async def test_a_reading_that_ends_after_its_node_was_removed_is_told_to_nobody(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    engine.hang()
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    await until(lambda: engine.now)
    await poller.apply(NodeConfigs())
    engine.go_on()
    await until(lambda: not engine.now)
    assert fleet.nodes == {}


async def test_a_paused_node_is_still_read(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    node = await polled(poller, fleet, config(url=engine.url, paused=True))
    assert (state(node), set(node.resident)) == ("paused", {SMOL})


async def test_a_node_that_is_paused_while_it_is_read_stays_paused(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    engine.hang()
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    await until(lambda: engine.now)
    await poller.apply(NodeConfigs((config(url=engine.url, paused=True),)))
    engine.go_on()
    await until(lambda: fleet.nodes["studio"].resident)
    assert fleet.nodes["studio"].paused


async def test_a_node_at_a_new_address_keeps_nothing_of_the_old_one(
    poller: Poller, fleet: RecordingFleet, engine: Engine, black_hole: str
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    await poller.apply(NodeConfigs((config(url=black_hole),)))
    assert (fleet.nodes["studio"].on_disk, fleet.nodes["studio"].reachable) == ({}, False)


async def test_a_configuration_that_changes_nothing_is_not_put_again(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    puts = len(fleet.puts)
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    assert len(fleet.puts) == puts


async def test_a_refused_connection_makes_a_node_unreachable_at_once(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    await engine.refuse()
    await poller.poll_once()
    node = fleet.nodes["studio"]
    assert (state(node), node.trouble.split(".")[0]) == ("unreachable", "Nothing listens on http://127")


async def test_an_engine_that_comes_back_is_online_again(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    await polled(poller, fleet, config(url=engine.url))
    await engine.refuse()
    await poller.poll_once()
    assert state(fleet.nodes["studio"]) == "unreachable"
    await engine.listen(engine.port)
    await poller.poll_once()
    assert (state(fleet.nodes["studio"]), fleet.nodes["studio"].trouble) == ("online", "")


async def test_a_node_that_does_not_answer_in_time_stays_reachable(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    engine.hang()
    impatient()
    await poller.poll_once()
    node = fleet.nodes["studio"]
    assert (state(node), "did not answer within 0.1 s" in node.trouble) == ("online", True)


async def test_a_node_that_never_answered_stays_unreachable(
    poller: Poller, fleet: RecordingFleet, black_hole: str
) -> None:
    impatient()
    assert state(await polled(poller, fleet, config(url=black_hole))) == "unreachable"


async def test_a_black_hole_delays_no_other_node(
    poller: Poller, fleet: RecordingFleet, engine: Engine, black_hole: str
) -> None:
    await poller.apply(NodeConfigs((config(id="hole", url=black_hole), config(url=engine.url))))
    await until(lambda: state(fleet.nodes["studio"]) == "online")


async def test_a_web_page_is_unreachable_and_says_why(poller: Poller, fleet: RecordingFleet) -> None:
    async with Engine({"/api/version": "<html>"}) as page:
        node = await polled(poller, fleet, config(url=page.url))
    assert (state(node), "is not an Ollama" in node.trouble) == ("unreachable", True)


async def test_a_node_that_loads_its_model_is_online_with_nothing_in_memory(
    poller: Poller, fleet: RecordingFleet
) -> None:
    async with Engine({"/v1/models": LLAMA_CPP_LOADING}) as loading:
        node = await polled(poller, fleet, config(url=loading.url, engine="openai"))
    assert (state(node), node.resident) == ("online", {})


async def test_at_most_one_reading_of_a_node_is_in_flight(poller: Poller, engine: Engine) -> None:
    engine.hang()
    await poller.apply(NodeConfigs((config(url=engine.url),)))
    polls = [asyncio.create_task(poller.poll_once()) for _ in range(5)]
    poller.ask_now("studio")
    await until(lambda: engine.now)
    engine.go_on()
    await asyncio.gather(*polls)
    assert engine.most == 1


async def test_a_node_that_is_asked_for_is_read_at_once(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    use_poller(poller)
    await polled(poller, fleet, config(url=engine.url))
    engine.answers["/api/ps"] = {"models": []}
    ask_now("studio")
    await until(lambda: not fleet.nodes["studio"].resident)
    use_poller(None)


async def test_a_model_that_just_answered_is_known_to_be_in_memory_before_the_next_reading(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    use_poller(poller)
    engine.answers["/api/ps"] = {"models": []}
    before = await polled(poller, fleet, config(url=engine.url, granted_gb=16.0))
    engine.hang()
    await now_loaded("studio", SMOL)
    after = fleet.nodes["studio"]
    weights = before.on_disk[SMOL].size_gb or 0.0
    assert (set(after.resident), after.memory.available_gb) == ({SMOL}, 16.0 - weights)
    use_poller(None)


async def test_what_a_load_takes_is_not_available_until_the_agent_says_how_much_is(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    seen = await polled(poller, fleet, config(url=engine.url, credential="ab" * 32))
    known = replace(seen, memory=Memory(32.0, 20.0), on_disk={SMOL: DiskModel(SMOL, 5.0)})
    await fleet.put_node(known)
    await poller.loaded("studio", SMOL)
    assert fleet.nodes["studio"].memory == Memory(32.0, 15.0)


async def test_what_just_answered_is_read_at_once_to_know_the_rest(
    poller: Poller, fleet: RecordingFleet, engine: Engine
) -> None:
    engine.answers["/api/ps"] = {"models": []}
    await polled(poller, fleet, config(url=engine.url))
    engine.answers["/api/ps"] = OLLAMA["/api/ps"]
    await poller.loaded("studio", SMOL)
    await until(lambda: fleet.nodes["studio"].resident[SMOL].context)


async def test_asking_in_a_process_without_a_poller_does_nothing() -> None:
    ask_now("studio")
    await now_loaded("studio", SMOL)
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_a_node_with_an_agent_is_only_probed(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    node = await polled(poller, fleet, config(url=engine.url, credential="ab" * 32))
    assert (node.reachable, node.last_seen, set(engine.calls)) == (True, 0.0, {"GET /api/version"})


@pytest.mark.parametrize(("silence", "status"), [(10, "online"), (20, "degraded"), (40, "offline")])
async def test_a_sweep_gives_each_node_the_status_of_its_silence(
    poller: Poller, fleet: RecordingFleet, engine: Engine, clock: Clock, silence: float, status: str
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    clock.now += silence
    await poller.sweep()
    assert fleet.nodes["studio"].status == status


async def test_real_traffic_counts_as_a_sign_of_life(
    poller: Poller, fleet: RecordingFleet, engine: Engine, clock: Clock
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    clock.now += 40
    await fleet.touch("studio", clock.now - 1)
    await poller.sweep()
    assert fleet.nodes["studio"].status == "online"


async def test_a_sweep_puts_only_what_changed(poller: Poller, fleet: RecordingFleet, engine: Engine) -> None:
    await polled(poller, fleet, config(url=engine.url))
    puts = len(fleet.puts)
    await poller.sweep()
    assert len(fleet.puts) == puts


async def test_sweeps_come_by_themselves(poller: Poller, fleet: RecordingFleet, engine: Engine, clock: Clock) -> None:
    await polled(poller, fleet, config(url=engine.url))
    clock.now += 40
    await until(lambda: fleet.nodes["studio"].status == "offline")


async def test_a_fleet_that_fails_once_does_not_end_the_readings(
    poller: Poller, fleet: RecordingFleet, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await polled(poller, fleet, config(url=engine.url))
    with monkeypatch.context() as broken:
        broken.setattr(fleet, "put_node", None)
        calls = len(engine.calls)
        poller.ask_now("studio")
        engine.answers["/api/ps"] = {"models": []}
        await until(lambda: len(engine.calls) >= calls + 3 and not engine.now)
    poller.ask_now("studio")
    await until(lambda: not fleet.nodes["studio"].resident)


async def test_a_change_of_state_is_one_line_in_the_log(
    poller: Poller, fleet: RecordingFleet, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "nodes.poller")
    await polled(poller, fleet, config(url=engine.url))
    await poller.poll_once()
    assert caplog.messages == ["node Studio: online, was unreachable"]
