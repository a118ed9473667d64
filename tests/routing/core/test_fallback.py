from routing.core.fallback import turn
from tests.routing.core.factories import MODEL, OTHER, candidate, loaded, node


def test_one_model_has_one_turn() -> None:
    assert turn(candidate(), (MODEL,)) == turn(candidate(node(resident=loaded())), (MODEL,))


def test_of_several_the_loaded_come_first() -> None:
    models = (OTHER, MODEL)
    assert turn(candidate(node(resident=loaded())), models) < turn(candidate(), models)


def test_then_the_place_in_the_list_counts() -> None:
    assert turn(candidate(), (MODEL, OTHER)) < turn(candidate(), (OTHER, MODEL))
