"""Is there an Ollama on this machine?"""

from nodes.engines.client import EngineTrouble, fetcher, session
from nodes.engines.ollama import OllamaReader

LOCAL = "http://127.0.0.1:11434"
PATIENCE = 1.0  # seconds


async def local_ollama(url: str = LOCAL) -> str | None:
    """The URL if an Ollama answers there within a second, else None."""
    async with session() as client:
        try:
            await OllamaReader(fetcher(client, url, "ollama"), url).probe(PATIENCE)
        except (EngineTrouble, TimeoutError):
            return None
    return url
