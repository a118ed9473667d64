"""Which of the paths that clients call an engine serves itself, by its kind and version."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from nodes.core.values import NodeSnapshot
from routing.core.engines import OLLAMA, is_ollama

Version = tuple[int, ...]
NUMBER = re.compile(r"\d+")
CHAT, COMPLETIONS, EMBEDDINGS = "/v1/chat/completions", "/v1/completions", "/v1/embeddings"
RESPONSES, MESSAGES = "/v1/responses", "/v1/messages"
NATIVE = ("/api/chat", "/api/generate", "/api/embed", "/api/embeddings")
OPENAI = (CHAT, COMPLETIONS, EMBEDDINGS)
ROUTES = frozenset((*NATIVE, *OPENAI, RESPONSES, MESSAGES))
# Where an engine lacks one of these, the request is translated (routing/translation).
TRANSLATED = frozenset((*NATIVE, CHAT, EMBEDDINGS, RESPONSES, MESSAGES))
EVER: Version = ()
NEWEST: Version = (1_000_000,)


class Kind(NamedTuple):
    """One kind of engine: each path that it serves with its first version, and what is assumed of one that has none."""

    title: str
    since: Mapping[str, Version]
    assumed: Version


def _ever(*paths: str) -> dict[str, Version]:
    return dict.fromkeys(paths, EVER)


# The first release that has the path. llama.cpp's builds tell no version that could be compared: taken for new ones.
KINDS: Mapping[str, Kind] = {
    OLLAMA: Kind(
        "Ollama",
        _ever(*NATIVE)
        | {
            CHAT: (0, 1, 24),
            COMPLETIONS: (0, 2, 0),
            EMBEDDINGS: (0, 2, 6),
            RESPONSES: (0, 13, 3),
            MESSAGES: (0, 14, 0),
        },
        NEWEST,
    ),
    "llama.cpp": Kind("llama.cpp", _ever(*OPENAI, RESPONSES, MESSAGES), NEWEST),
    "vllm": Kind("vLLM", _ever(*OPENAI, RESPONSES) | {MESSAGES: (0, 11, 1)}, EVER),
}
OTHER = Kind("any OpenAI-compatible engine", _ever(*OPENAI), EVER)


def lacking(node: NodeSnapshot) -> frozenset[str]:
    """The paths that this node's engine does not serve itself."""
    return _lacking(OLLAMA if is_ollama(node) else node.flavour, node.version)


def out_of_reach(node: NodeSnapshot) -> frozenset[str]:
    """The paths that this node can't answer at all, not even translated."""
    return lacking(node) - TRANSLATED


def servers(path: str) -> str:
    """Which engines serve a path, in words: `Ollama 0.14.0 or newer, llama.cpp, vLLM 0.11.1 or newer`."""
    return ", ".join(_from(kind, kind.since[path]) for kind in (*KINDS.values(), OTHER) if path in kind.since)


def version_of(text: str) -> Version:
    """`0.33.0-rc2` → (0, 33, 0); empty where no number stands."""
    return tuple(map(int, NUMBER.findall(text.split("-")[0].split("+")[0])))


@lru_cache(maxsize=1024)
def _lacking(name: str, version: str) -> frozenset[str]:
    kind = KINDS.get(name, OTHER)
    known = version_of(version) or kind.assumed
    return frozenset(path for path in ROUTES if path not in kind.since or known < kind.since[path])


def _from(kind: Kind, since: Version) -> str:
    return f"{kind.title} {'.'.join(map(str, since))} or newer" if since else kind.title
