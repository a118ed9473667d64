from fleetsite.demo.machines import MACHINES, SIZES, machines
from nodes.simulated import model_files


def test_there_are_as_many_machines_as_asked_for() -> None:
    assert len(machines(6)) == 6


def test_the_fifth_machine_is_another_of_the_first_kind() -> None:
    assert machines(5)[4].name == "studio-2"


def test_every_machine_lists_its_models_as_a_simulated_node_takes_them() -> None:
    for one in MACHINES:
        assert len(model_files(one.listed)) == len(one.models)


def test_one_model_is_too_large_for_every_machine() -> None:
    assert SIZES["deepseek-r1:671b"] > max(one.machine.memory_gb for one in MACHINES)
