"""PROTOCOLS: which adapter speaks on which inference path."""

from collections.abc import Mapping

from routing.protocols.base import Protocol
from routing.protocols.ollama_native import OllamaNative
from routing.protocols.openai_chat import OpenAIChat

OLLAMA, OPENAI = OllamaNative(), OpenAIChat()
PROTOCOLS: Mapping[str, Protocol] = {path: p for p in (OLLAMA, OPENAI) for path in p.paths}


def dialect_of(path: str) -> Protocol:
    """Whose errors a client of this path understands."""
    return OPENAI if path.startswith("/v1") else OLLAMA
