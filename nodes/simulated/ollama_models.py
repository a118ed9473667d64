"""Ollama's routes about models: what is there, what is loaded, copy, delete."""

import dataclasses

from aiohttp import web

from nodes.core.names import normal
from nodes.simulated.answer import PARTS
from nodes.simulated.asking import Body, find, read, required_model
from nodes.simulated.engine import Runner
from nodes.simulated.machine import ModelFile
from nodes.simulated.ollama_api import DIMENSIONS
from nodes.simulated.wire import GB, JSON, JSON_UTF8, go_json, go_time, send

MODIFIED = 1_790_000_000 * GB  # the same on every machine, so that equal models look equal


async def root(request: web.Request) -> web.StreamResponse:
    """`GET /`."""
    return await send(request, b"Ollama is running", "text/plain; charset=utf-8")


async def version(request: web.Request) -> web.StreamResponse:
    """`GET /api/version`."""
    return await send(request, go_json({"version": request.app[PARTS].machine.version}), JSON_UTF8)


async def tags(request: web.Request) -> web.StreamResponse:
    """`GET /api/tags`."""
    parts = request.app[PARTS]
    listed = [_tag(file, parts.machine.version) for _, file in sorted(parts.engine.files.items())]
    return await send(request, go_json({"models": listed}), JSON_UTF8)


async def loaded(request: web.Request) -> web.StreamResponse:
    """`GET /api/ps`: the one that stays longest first."""
    runners = sorted(request.app[PARTS].engine.runners.values(), key=lambda r: -r.expires_at)
    return await send(request, go_json({"models": [_loaded(runner) for runner in runners]}), JSON_UTF8)


async def show(request: web.Request) -> web.StreamResponse:
    """`POST /api/show`."""
    asked = required_model(await read(request))
    file = find(request, normal(asked), "model '{}' not found")
    return await send(request, go_json(_shown(file, request.app[PARTS].machine.context)), JSON_UTF8)


async def copy(request: web.Request) -> web.StreamResponse:
    """`POST /api/copy`."""
    body, files = await read(request), request.app[PARTS].engine.files
    source = find(request, str(body.get("source", "")), 'model "{}" not found')
    name = normal(str(body.get("destination", "")))
    files[name] = dataclasses.replace(source, name=name)
    return web.Response()


async def delete(request: web.Request) -> web.StreamResponse:
    """`DELETE /api/delete`."""
    file, engine = find(request, required_model(await read(request))), request.app[PARTS].engine
    engine.unload(file)
    del engine.files[file.name]
    return web.Response()


async def listed_v1(request: web.Request) -> web.StreamResponse:
    """`GET /v1/models`."""
    entries = [_entry_v1(file) for _, file in sorted(request.app[PARTS].engine.files.items())]
    return await send(request, go_json({"object": "list", "data": entries}) + b"\n", JSON)


async def shown_v1(request: web.Request) -> web.StreamResponse:
    """`GET /v1/models/NAME`."""
    file = find(request, request.match_info["name"])
    return await send(request, go_json(_entry_v1(file)) + b"\n", JSON)


def _tag(file: ModelFile, engine_version: str) -> Body:
    head = {"name": file.name, "model": file.name, "modified_at": go_time(MODIFIED), "size": file.size}
    tail = {"details": file.details, "capabilities": file.listed_capabilities(engine_version)}
    return head | {"digest": file.digest} | tail


def _loaded(runner: Runner) -> Body:
    file, size = runner.file, round(runner.size_gb * GB)
    return {
        "name": file.name,
        "model": file.name,
        "size": size,
        "digest": file.digest,
        "details": file.details,
        "expires_at": go_time(round(runner.expires_at * GB)),
        "size_vram": size,
        "context_length": runner.context,
    }


def _shown(file: ModelFile, context: int) -> Body:
    architecture = {
        "general.architecture": file.family,
        "general.parameter_count": round(file.size / 0.6),
        f"{file.family}.context_length": 8 * context,
        f"{file.family}.embedding_length": DIMENSIONS,
    }
    return {
        "modelfile": f"FROM {file.name}\nTEMPLATE {{{{ .Prompt }}}}\nPARAMETER num_ctx {context}\n",
        "parameters": f"num_ctx                        {context}",
        "template": "{{ .Prompt }}",
        "details": file.details,
        "model_info": architecture,
        "tensors": [{"name": "output_norm.weight", "type": "F32", "shape": [DIMENSIONS]}],
        "capabilities": sorted(file.capabilities),
        "modified_at": go_time(MODIFIED),
    }


def _entry_v1(file: ModelFile) -> Body:
    return {"id": file.name, "object": "model", "created": MODIFIED // GB, "owned_by": "library"}
