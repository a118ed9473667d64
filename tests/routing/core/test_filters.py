import pytest

from nodes.core.values import Capacity, Memory, NodeSnapshot, QueueKey
from routing.core.filters import FILTERS, sieve
from routing.core.parameters import EliminationPolicy
from tests.routing.core.factories import MODEL, candidate, disk, learning, loaded, node

CRITICAL = Memory(available_gb=100.0, pressure="critical")
OUT = [
    ("pending", node(enrolment="pending")),
    ("offline", node(status="offline")),
    ("unreachable", node(reachable=False)),
    ("paused", node(paused=True)),
    ("draining", node(draining=True)),
    ("memory_pressure", node(memory=CRITICAL)),
    ("memory_pressure", node(memory=CRITICAL, resident=loaded())),
    ("capacity", node(capacity=learning(meeting=True))),
    ("capacity", node(capacity=learning(meeting=True, override="full"))),
    ("capacity", node(capacity=learning(override="pause"))),
    ("capacity", node(capacity=learning(cpu_over_85_seconds=120.0))),
    ("capacity", node(capacity=learning(availability=0.199))),
    ("capacity", node(capacity=learning(observed_days=6.99))),
    ("model_absent", node(on_disk={})),
    ("no_memory", node(free=9.99)),
]
IN = [
    node(),
    node(status="degraded"),
    node(memory=Memory(available_gb=100.0, pressure="warn")),
    node(capacity=Capacity(meeting=True, override="pause", cpu_over_85_seconds=999, availability=0, observed_days=0)),
    node(capacity=learning(cpu_over_85_seconds=119.9)),
    node(capacity=learning(availability=0.20)),
    node(capacity=learning(observed_days=7.0)),
    node(capacity=learning(override="full", cpu_over_85_seconds=999, availability=0.0, observed_days=0)),
    node(on_disk={}, resident=loaded()),
    node(free=10.0),
    node(free=0.0, resident=loaded()),
    node(free=None),
]


def reason(of: NodeSnapshot, policy: EliminationPolicy | None = None, **more: object) -> str | None:
    _, out = sieve([candidate(of, **more)], policy or EliminationPolicy())  # type: ignore[arg-type]
    return out[0][1] if out else None


@pytest.mark.parametrize(("expected", "out"), OUT)
def test_a_node_is_out_with_that_reason(expected: str, out: NodeSnapshot) -> None:
    assert reason(out) == expected


@pytest.mark.parametrize("stays", IN)
def test_a_node_stays_in(stays: NodeSnapshot) -> None:
    assert reason(stays) is None


def test_the_reasons_stand_in_the_order_in_which_they_are_given() -> None:
    in_order = "pending offline unreachable paused draining memory_pressure capacity model_absent capability"
    assert " ".join(f.reason for f in FILTERS) == f"{in_order} unhealthy no_memory"


def test_of_several_reasons_the_first_is_given() -> None:
    assert reason(node(paused=True, draining=True, on_disk={})) == "paused"


def test_an_option_spares_a_resident_model_under_critical_pressure() -> None:
    spares = EliminationPolicy(pressure_spares_resident=True)
    assert reason(node(memory=CRITICAL, resident=loaded()), spares) is None


def test_that_option_spares_no_model_that_must_be_loaded() -> None:
    assert reason(node(memory=CRITICAL), EliminationPolicy(pressure_spares_resident=True)) == "memory_pressure"


def test_an_open_circuit_is_unhealthy() -> None:
    assert reason(node(), unhealthy=frozenset({QueueKey("a", MODEL)})) == "unhealthy"


def test_the_open_circuit_of_another_model_does_not_count() -> None:
    assert reason(node(), unhealthy=frozenset({QueueKey("a", "other:1b")})) is None


def test_a_need_that_the_node_says_the_model_lacks_is_a_capability() -> None:
    says = disk(capabilities=frozenset({"completion"}))
    assert reason(node(on_disk=says), needs=frozenset({"tools"})) == "capability"


def test_the_model_on_disk_speaks_for_the_resident_one() -> None:
    says = disk(capabilities=frozenset({"completion"}))
    assert reason(node(on_disk=says, resident=loaded()), needs=frozenset({"vision"})) == "capability"


@pytest.mark.parametrize("says", [None, frozenset(), frozenset({"tools", "completion"})])
def test_a_need_that_is_met_or_not_spoken_of_passes(says: frozenset[str] | None) -> None:
    assert reason(node(on_disk=disk(capabilities=says)), needs=frozenset({"tools"})) is None


def test_a_model_of_an_embedding_family_embeds_whatever_its_node_calls_it() -> None:
    says = disk(capabilities=frozenset({"completion"}), details={"family": "bert"})
    assert reason(node(on_disk=says), needs=frozenset({"embedding"})) is None


def test_a_path_that_can_be_translated_is_no_reason_against_a_node() -> None:
    old, other = node(version="0.13.9"), node(engine="openai")
    assert reason(old, needs=frozenset({"/v1/messages"})) is None
    assert reason(other, needs=frozenset({"/api/chat"})) is None


def test_a_node_is_out_whose_engine_is_too_old_for_the_path() -> None:
    needs = frozenset({"/v1/completions"})
    assert [reason(node(version=v), needs=needs) for v in ("0.1.9", "0.2.0")] == ["capability", None]


def test_a_learned_ceiling_caps_what_is_available() -> None:
    assert reason(node(capacity=learning(ceiling_gb=9.0))) == "no_memory"


def test_a_ceiling_without_learning_caps_nothing() -> None:
    assert reason(node(capacity=Capacity(ceiling_gb=9.0))) is None


def test_what_was_measured_in_the_fleet_is_the_need() -> None:
    assert reason(node(free=11.0), need_gb={MODEL: 12.0}) == "no_memory"


def test_idle_models_count_as_free_by_option() -> None:
    full = node(free=4.0, resident=loaded("idle:1b", 6.0, idle=True))
    assert (reason(full), reason(full, count_idle=True)) == ("no_memory", None)


@pytest.mark.parametrize("state", [{"idle": False}, {"idle": True, "pinned": True}])
def test_busy_and_pinned_models_never_count_as_free(state: dict[str, bool]) -> None:
    assert reason(node(free=4.0, resident=loaded("other:1b", 6.0, **state)), count_idle=True) == "no_memory"


def test_the_ceiling_caps_after_idle_models_are_counted() -> None:
    full = node(free=4.0, resident=loaded("idle:1b", 60.0, idle=True), capacity=learning(ceiling_gb=9.0))
    assert reason(full, count_idle=True) == "no_memory"


def test_survivors_and_eliminated_keep_their_order() -> None:
    names = {"a": {}, "b": {"paused": True}, "c": {}, "d": {"enrolment": "pending"}}
    survivors, out = sieve([candidate(node(n, **known)) for n, known in names.items()], EliminationPolicy())
    assert [c.node.id for c in survivors] == ["a", "c"]
    assert [(c.node.id, why) for c, why in out] == [("b", "paused"), ("d", "pending")]
