import pytest

from nodes.core.values import NodeSnapshot
from routing.core.parameters import QueuePolicy
from routing.core.slots import has_free_slot, slots
from tests.routing.core.factories import MODEL, disk, fleet, learning, loaded, node, queue


def of(machine: NodeSnapshot, policy: QueuePolicy | None = None, **state: object) -> int:
    return slots(machine, MODEL, fleet(machine, **state), policy or QueuePolicy())


@pytest.mark.parametrize(
    ("free", "count"), [(30.0, 8), (26.0, 8), (25.9, 7), (14.0, 2), (13.9, 1), (12.0, 1), (10.0, 1), (5.0, 1)]
)
def test_what_stays_free_once_the_model_is_loaded_gives_a_slot_each_two_gb(free: float, count: int) -> None:
    assert of(node(free=free, engine_parallel=99)) == count


def test_a_resident_model_is_not_subtracted_twice() -> None:
    assert of(node(free=6.0, resident=loaded(), engine_parallel=99)) == 3


def test_the_measured_need_is_what_a_load_takes() -> None:
    assert of(node(free=16.0, engine_parallel=99), need_gb={MODEL: 12.0}) == 2


def test_never_more_than_the_engine_says_it_runs() -> None:
    assert of(node(engine_parallel=4)) == 4


@pytest.mark.parametrize(
    ("engine", "flavour", "count"),
    [("ollama", "", 1), ("ollama", "ollama", 1), ("openai", "llama.cpp", 1), ("openai", "vllm", 32), ("openai", "", 1)],
)
def test_where_memory_is_unknown_the_engines_default_stands_alone(engine: str, flavour: str, count: int) -> None:
    assert of(node(free=None, engine=engine, flavour=flavour)) == count


def test_where_memory_is_unknown_the_engines_word_stands_alone() -> None:
    assert of(node(free=None, engine_parallel=12)) == 12


def test_a_learned_ceiling_narrows_the_slots() -> None:
    assert of(node(resident=loaded(), engine_parallel=8, capacity=learning(ceiling_gb=4.0))) == 2


def test_an_operators_word_is_taken_as_it_is() -> None:
    assert of(node(free=0.0, parallel=12, engine_parallel=2)) == 12


@pytest.mark.parametrize(
    "says", [disk(capabilities=frozenset({"embedding"})), disk(details={"family": "mllama"})], ids=["embeds", "serial"]
)
def test_embedding_models_and_serial_families_run_one_at_a_time(says: dict[str, object]) -> None:
    assert of(node(on_disk=says, engine_parallel=8)) == 1


def test_the_measured_cache_of_a_loaded_model_sets_its_cost() -> None:
    measured = node(free=6.0, resident=loaded(gb=14.0), engine_parallel=4)  # 4 GB beyond the weights, 4 slots
    assert of(measured) == 4


def test_a_large_measured_cache_leaves_fewer_slots() -> None:
    assert of(node(free=7.0, resident=loaded(gb=22.0), engine_parallel=4)) == 2


def test_the_cost_of_a_request_is_a_parameter() -> None:
    assert of(node(free=20.0, engine_parallel=99), QueuePolicy(kv_gb=5.0)) == 2


def test_the_most_that_memory_earns_is_a_parameter() -> None:
    assert of(node(engine_parallel=99), QueuePolicy(max_slots=3)) == 3


@pytest.mark.parametrize(("running", "free"), [(1, True), (2, False)])
def test_a_slot_is_free_while_fewer_run_and_wait(running: int, free: bool) -> None:
    machine = node(engine_parallel=2)
    assert has_free_slot(machine, MODEL, fleet(machine, queues=queue("a", running)), QueuePolicy()) is free
