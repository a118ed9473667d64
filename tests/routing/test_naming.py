"""What a client's name stands for."""

from collections.abc import Iterator
from typing import Any

import pytest

from nodes.core.values import FleetSnapshot, NodeSnapshot, ResidentModel
from nodes.fleet import get_fleet, use_fleet
from nodes.lib.live import install
from routing.core.aliases import Alias, Aliases
from routing.inventory import known_models
from routing.naming import alias_of, models_of, with_real_name
from tests.routing.factories import request

FAST = Alias("fast", "qwen2.5:7b", ("phi4:latest",))


class Still:
    """A fleet that is what it is."""

    def __init__(self, *nodes: NodeSnapshot) -> None:
        self.nodes = nodes

    def snapshot(self) -> FleetSnapshot:
        return FleetSnapshot(0.0, self.nodes)


def seen(*models: str, **more: Any) -> None:
    """A node that has these in memory."""
    node = NodeSnapshot("a", resident={model: ResidentModel(model) for model in models}, **more)
    use_fleet(Still(node))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _aliases() -> Iterator[None]:
    install(Aliases({"fast:latest": FAST}))
    seen("qwen2.5:7b")
    yield
    install(Aliases())
    use_fleet(None)


@pytest.mark.parametrize("name", ["fast", "Fast", "fast:latest", "library/fast"])
def test_an_alias_is_known_by_any_spelling_of_its_name(name: str) -> None:
    assert alias_of(name) == FAST


def test_a_real_model_of_that_name_wins() -> None:
    seen("fast:latest")
    assert models_of("fast", ()) == ("fast:latest",)


def test_a_model_of_a_node_that_nobody_approved_does_not() -> None:
    seen("fast:latest", enrolment="pending")
    assert alias_of("fast") == FAST


def test_an_alias_brings_its_fallbacks() -> None:
    assert models_of("fast", ()) == ("qwen2.5:7b", "phi4:latest")


def test_the_clients_own_fallbacks_stand_in_their_place() -> None:
    assert models_of("fast", ("llama3",)) == ("qwen2.5:7b", "llama3:latest")


def test_a_fallback_may_be_an_alias() -> None:
    assert models_of("llama3", ("fast",)) == ("llama3:latest", "qwen2.5:7b")


def test_an_aliased_request_remembers_what_was_asked() -> None:
    asked = request(model="Fast")
    assert (asked.asked, asked.aliased, asked.demand.models[0], asked.wanted) == (
        "Fast",
        True,
        "qwen2.5:7b",
        "qwen2.5:7b",
    )


def test_any_other_request_is_not_aliased() -> None:
    asked = request(model="Qwen2.5:7B")
    assert (asked.aliased, asked.wanted) == (False, "Qwen2.5:7B")


def test_an_alias_is_listed_beside_its_model() -> None:
    assert [m.spelling or m.name for m in known_models(fleet_now(), None)] == ["fast", "qwen2.5:7b"]


def test_an_alias_of_nothing_that_is_there_is_not_listed() -> None:
    seen("llama3:latest")
    assert [m.name for m in known_models(fleet_now(), None)] == ["llama3:latest"]


def test_who_asks_about_an_alias_asks_about_its_model() -> None:
    assert with_real_name(b'{"model":"fast","verbose":true}') == b'{"model":"qwen2.5:7b","verbose":true}'


def test_a_question_about_a_model_stays_as_it_is() -> None:
    assert with_real_name(b'{ "model":"phi4" }') == b'{ "model":"phi4" }'


def fleet_now() -> FleetSnapshot:
    """The fleet as it is."""
    return get_fleet().snapshot()
