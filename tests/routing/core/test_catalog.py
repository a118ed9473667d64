import pytest

from nodes.core.names import normal
from nodes.core.values import DiskModel
from routing.core.catalog import BY_NAME, DEFAULT_TAGS, is_embedding, is_serial, weights_by_name


def test_a_well_known_model_has_its_weights() -> None:
    assert weights_by_name("llama3.3:70b") == 42.0


def test_the_default_tag_is_the_model_it_stands_for() -> None:
    assert weights_by_name(normal("qwen3")) == weights_by_name("qwen3:8b")


@pytest.mark.parametrize("name", ["mixtral:8x7b", "acme-llama3.3:70b", "me/llama3.3:70b", "llama3.3:70b-q8"])
def test_names_that_only_look_alike_are_unknown(name: str) -> None:
    assert weights_by_name(name) is None


def test_names_stand_in_normal_form() -> None:
    assert [name for name in BY_NAME if name != normal(name)] == []


def test_every_default_tag_is_in_the_catalogue() -> None:
    assert [name for name, tag in DEFAULT_TAGS.items() if f"{name}:{tag}" not in BY_NAME] == []


def family(name: str) -> DiskModel:
    return DiskModel("x:latest", details={"family": name})


def test_a_model_of_an_embedding_family_embeds_though_its_node_says_completion() -> None:
    says = DiskModel("x:latest", capabilities=frozenset({"completion"}), details={"family": "bert"})
    assert is_embedding("x:latest", says)


@pytest.mark.parametrize(
    ("name", "on_disk", "embeds"),
    [
        ("nomic-embed-text:latest", None, True),
        ("me/all-minilm:22m", None, True),
        ("x:latest", DiskModel("x:latest", capabilities=frozenset({"embedding"})), True),
        ("x:latest", DiskModel("x:latest", capabilities=frozenset({"embedding", "completion"})), False),
        ("llama3.3:70b", None, False),
    ],
)
def test_embedding_models(name: str, on_disk: DiskModel | None, embeds: bool) -> None:
    assert is_embedding(name, on_disk) is embeds


@pytest.mark.parametrize(
    ("name", "on_disk", "serial"),
    [
        ("x:latest", family("mllama"), True),
        ("x:latest", family("qwen35moe"), True),
        ("x:latest", family("llama"), False),
        ("qwen3.5:122b-a10b", None, True),
        ("qwen3-vl:32b", None, True),
        ("qwen3:8b", None, False),
        ("qwen3.5:9b", family("llama"), False),
    ],
)
def test_serial_families(name: str, on_disk: DiskModel | None, serial: bool) -> None:
    assert is_serial(name, on_disk) is serial
