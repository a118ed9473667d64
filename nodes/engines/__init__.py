"""The engines that the poller can read, by what a node was added as."""

from collections.abc import Callable, Mapping

from nodes.engines.base import Reader
from nodes.engines.client import Fetch
from nodes.engines.ollama import OllamaReader
from nodes.engines.openai import OpenAIReader

READERS: Mapping[str, Callable[[Fetch, str], Reader]] = {"ollama": OllamaReader, "openai": OpenAIReader}
