"""PROTOCOLS: which adapter speaks on which inference path."""

from collections.abc import Mapping

from routing.protocols.anthropic_messages import AnthropicMessages
from routing.protocols.base import Protocol
from routing.protocols.ollama_native import OllamaNative
from routing.protocols.openai_chat import OpenAIChat
from routing.protocols.openai_responses import OpenAIResponses

OLLAMA, OPENAI, RESPONSES, ANTHROPIC = OllamaNative(), OpenAIChat(), OpenAIResponses(), AnthropicMessages()
PROTOCOLS: Mapping[str, Protocol] = {
    path: protocol for protocol in (OLLAMA, OPENAI, RESPONSES, ANTHROPIC) for path in protocol.paths
}


def dialect_of(path: str, to_anthropic: bool = False) -> Protocol:
    """Whose errors a client of this path understands; `to_anthropic`: it says that it speaks Anthropic's."""
    if path in PROTOCOLS:
        return PROTOCOLS[path]
    if path.startswith(("/v1/messages", "/v1/responses")):
        return ANTHROPIC if path.startswith("/v1/messages") else RESPONSES
    if path.startswith("/v1"):
        return ANTHROPIC if to_anthropic else OPENAI
    return OLLAMA
