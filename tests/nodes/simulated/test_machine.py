import pytest

from nodes.simulated import ModelFile, model_files


def test_a_list_of_models_is_read_in_normal_form():
    assert [(f.name, f.size_gb) for f in model_files("Qwen2.5:7b=4.7,phi4=9.1")] == [
        ("qwen2.5:7b", 4.7),
        ("phi4:latest", 9.1),
    ]


def test_capabilities_can_be_named():
    assert model_files("x=1/completion+vision")[0].capabilities == {"completion", "vision"}


def test_a_known_embedding_model_only_embeds():
    assert model_files("nomic-embed-text=0.3")[0].embeds


def test_a_model_without_a_size_is_refused_with_an_example():
    with pytest.raises(ValueError, match=r"'qwen' is no model: write NAME=GB, such as qwen2.5:7b=4.7"):
        model_files("qwen")


def test_the_cache_grows_with_context_and_parallel_requests():
    assert ModelFile("m:latest", 10).resident_gb(8192, 2) == pytest.approx(14)


def test_old_versions_list_an_embedding_model_as_a_completion_model():
    assert model_files("all-minilm=0.05")[0].listed_capabilities("0.32.2") == ["completion"]


def test_newer_versions_list_an_embedding_model_truthfully():
    assert model_files("all-minilm=0.05")[0].listed_capabilities("0.34.1") == ["embedding"]


def test_the_full_name_has_registry_and_namespace():
    assert ModelFile("smollm2:135m", 0.1).full_name == "registry.ollama.ai/library/smollm2:135m"


def test_equal_models_have_equal_digests():
    assert ModelFile("m:1", 2.0).digest == ModelFile("m:1", 2.0).digest
