"""Troubles come with their remedy."""

import pytest

from nodes.core.trouble import KINDS, WORDS, words


@pytest.mark.parametrize("engine", KINDS)
@pytest.mark.parametrize("kind", WORDS)
def test_every_trouble_can_be_worded_for_every_engine(kind: str, engine: str) -> None:
    assert "{" not in words(kind, "http://mac:11434", engine, "x")


@pytest.mark.parametrize(
    "command",
    [
        "`OLLAMA_HOST=0.0.0.0 ollama serve`",
        '`Environment="OLLAMA_HOST=0.0.0.0"`',
        '`launchctl setenv OLLAMA_HOST "0.0.0.0"`',
        '`setx OLLAMA_HOST "0.0.0.0"`',
    ],
)
def test_a_refusal_from_another_machine_names_the_command_that_opens_ollama(command: str) -> None:
    assert command in words("refused", "http://192.168.1.5:11434", "ollama")


def test_another_port_than_ollamas_own_is_in_the_command() -> None:
    assert "OLLAMA_HOST=0.0.0.0:9000 ollama serve" in words("refused", "http://mac:9000", "ollama")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "node.localhost"])
def test_a_refusal_on_this_machine_says_to_start_it(host: str) -> None:
    assert words("refused", f"http://{host}:11434", "ollama").endswith("Start the engine there: `ollama serve`.")
