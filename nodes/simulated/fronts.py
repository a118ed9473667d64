"""The two kinds of engine, from outside: which routes each has, and how it receives."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from nodes.simulated import llamacpp_api as llamacpp
from nodes.simulated import (
    llamacpp_door,
    newer_api,
    ollama_api,
    ollama_door,
    ollama_models,
    ollama_transfers,
    openai_api,
)
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import Machine, version_tuple

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Routes = tuple[tuple[str, str, Handler], ...]

# Paths that ask a model something.
INFERENCE = frozenset(
    {
        "/api/chat",
        "/api/generate",
        "/api/embed",
        "/api/embeddings",
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/embeddings",
        "/v1/messages",
        "/v1/responses",
    }
)


@dataclass(frozen=True, slots=True)
class Front:
    """One kind of engine."""

    routes: Routes
    error: Callable[[str, EngineError], web.Response]  # of a path
    no_route: Callable[[web.HTTPException], web.Response]
    at_the_door: Callable[[web.Request, str], web.Response | None]  # bound to this host; None: come in
    dress: Callable[[web.StreamResponse], None]  # the headers of every answer
    resident: bool = False  # all its models are in memory for good


OLLAMA_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", ollama_models.root),
    ("HEAD", "/", ollama_models.root),
    ("GET", "/api/version", ollama_models.version),
    ("HEAD", "/api/version", ollama_models.version),
    ("GET", "/api/tags", ollama_models.tags),
    ("HEAD", "/api/tags", ollama_models.tags),
    ("GET", "/api/ps", ollama_models.loaded),
    ("POST", "/api/show", ollama_models.show),
    ("POST", "/api/pull", ollama_transfers.pull),
    ("POST", "/api/push", ollama_transfers.push),
    ("POST", "/api/create", ollama_transfers.create),
    ("HEAD", "/api/blobs/{digest}", ollama_transfers.has_blob),
    ("POST", "/api/blobs/{digest}", ollama_transfers.put_blob),
    ("POST", "/api/copy", ollama_models.copy),
    ("DELETE", "/api/delete", ollama_models.delete),
    ("POST", "/api/chat", ollama_api.chat),
    ("POST", "/api/generate", ollama_api.generate),
    ("POST", "/api/embed", ollama_api.embed),
    ("POST", "/api/embeddings", ollama_api.old_embeddings),
    ("POST", "/v1/chat/completions", openai_api.chat),
    ("POST", "/v1/completions", openai_api.completions),
    ("POST", "/v1/embeddings", openai_api.embed),
    ("POST", "/v1/messages", newer_api.messages),
    ("POST", "/v1/responses", newer_api.responses),
    ("GET", "/v1/models", ollama_models.listed_v1),
    ("GET", "/v1/models/{name}", ollama_models.shown_v1),
)
LLAMA_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/health", llamacpp.health),
    ("GET", "/v1/models", llamacpp.models),
    ("GET", "/props", llamacpp.props),
    ("GET", "/slots", llamacpp.slots),
    ("POST", "/v1/chat/completions", llamacpp.chat),
    ("POST", "/v1/completions", llamacpp.completions),
    ("POST", "/v1/embeddings", llamacpp.embed),
    ("POST", "/v1/messages", newer_api.llama_messages),
    ("POST", "/v1/responses", newer_api.llama_responses),
)

# Ollama's routes that came later, and with which version.
CAME_WITH: Mapping[str, tuple[int, ...]] = {
    "/v1/chat/completions": (0, 1, 24),
    "/v1/completions": (0, 2, 0),
    "/v1/models": (0, 2, 0),
    "/v1/models/{name}": (0, 2, 0),
    "/v1/embeddings": (0, 2, 6),
    "/v1/responses": (0, 13, 3),
    "/v1/messages": (0, 14, 0),
}


def routes_of(machine: Machine) -> Routes:
    """The routes that this machine's engine has, at its version."""
    routes, version = FRONTS[machine.engine].routes, version_tuple(machine.version)
    if machine.engine != "ollama":
        return routes
    return tuple(route for route in routes if CAME_WITH.get(route[1], ()) <= version)


FRONTS: Mapping[str, Front] = {
    "ollama": Front(OLLAMA_ROUTES, ollama_door.error, ollama_door.no_route, ollama_door.at_the_door, ollama_door.dress),
    "openai": Front(
        LLAMA_ROUTES,
        llamacpp_door.error,
        llamacpp_door.no_route,
        llamacpp_door.at_the_door,
        llamacpp_door.dress,
        resident=True,
    ),
}
