"""Ollama's routes that move models: pull, push, create, and the blobs that models are created from."""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from aiohttp import web

from nodes.core.names import normal
from nodes.simulated.answer import PARTS, Parts
from nodes.simulated.asking import find, read, required_model
from nodes.simulated.faults import EngineError
from nodes.simulated.machine import ModelFile, model_files
from nodes.simulated.wire import GB, JSON, JSON_UTF8, NDJSON, Stream, go_json, send

PULL_STEPS = 5
UNKNOWN_TO_REGISTRY = "pull model manifest: file does not exist"
DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")


async def pull(request: web.Request) -> web.StreamResponse:
    """`POST /api/pull`: progress, then the model is on disk. A client that leaves ends it."""
    body, parts = await read(request), request.app[PARTS]
    name = normal(required_model(body))
    with parts.seen.request(name):
        file = parts.registry.get(name)
        if body.get("stream") is False:
            return await _pull_whole(request, parts, file)
        return await _pull_streamed(request, parts, file)


async def push(request: web.Request) -> web.StreamResponse:
    """`POST /api/push`: the registry has the model then."""
    body, parts = await read(request), request.app[PARTS]
    file = find(request, required_model(body))
    parts.pushed.append(file.name)
    digest = f"sha256:{file.digest}"
    sizes = {"digest": digest, "total": file.size, "completed": file.size}
    news = (
        _status("retrieving manifest"),
        _status(f"pushing {file.digest[:12]}", **sizes),
        _status("pushing manifest"),
    )
    return await _told(request, body.get("stream") is not False, news)


async def create(request: web.Request) -> web.StreamResponse:
    """`POST /api/create`: from a model on this disk, or from blobs that were sent before."""
    body, parts = await read(request), request.app[PARTS]
    name = normal(required_model(body))
    file = find(request, str(body["from"])) if body.get("from") else _from_blobs(parts, name, body.get("files") or {})
    parts.engine.files[name] = replace(file, name=name)
    return await _told(request, body.get("stream") is not False, (_status("parsing GGUF"), _status("writing manifest")))


async def has_blob(request: web.Request) -> web.StreamResponse:
    """`HEAD /api/blobs/DIGEST`."""
    if _digest(request) not in request.app[PARTS].blobs:
        raise EngineError(404, f'blob "{request.match_info["digest"]}" not found')
    return web.Response()


async def put_blob(request: web.Request) -> web.StreamResponse:
    """`POST /api/blobs/DIGEST`: 201, or 200 for one that is there."""
    digest, blobs, content = _digest(request), request.app[PARTS].blobs, await request.read()
    if digest in blobs:
        return web.Response()
    if hashlib.sha256(content).hexdigest() != digest:
        raise EngineError(400, "digest mismatch")
    blobs[digest] = len(content)
    return web.Response(status=201)


def _digest(request: web.Request) -> str:
    found = DIGEST.fullmatch(request.match_info["digest"])
    if not found:
        raise EngineError(400, "invalid digest format")
    return found[1]


def _from_blobs(parts: Parts, name: str, files: dict[str, str]) -> ModelFile:
    if not files:
        raise EngineError(400, "neither 'from' or 'files' was specified")
    digests = [digest.replace("-", ":").removeprefix("sha256:") for digest in files.values()]
    for digest in digests:
        if digest not in parts.blobs:
            raise EngineError(400, f'blob "sha256:{digest}" not found')
    size = sum(parts.blobs[digest] for digest in digests)
    return model_files(f"{name}={size / GB:.9f}")[0]


async def _told(request: web.Request, stream: bool, news: Iterable[bytes]) -> web.StreamResponse:
    if not stream:
        return await send(request, _status("success").rstrip(), JSON_UTF8)
    out = Stream(request, NDJSON)
    for line in (*news, _status("success")):
        await out.write(line)
    return await out.end()


async def _pull_streamed(request: web.Request, parts: Parts, file: ModelFile | None) -> web.StreamResponse:
    stream = Stream(request, NDJSON)
    await stream.write(_status("pulling manifest"))
    if file is None:
        await stream.write(go_json({"error": UNKNOWN_TO_REGISTRY}) + b"\n")
        return await stream.end()
    for line in _progress(file):
        await _download(parts, file)
        await stream.write(line)
    parts.engine.files[file.name] = file
    for status in ("verifying sha256 digest", "writing manifest", "success"):
        await stream.write(_status(status))
    return await stream.end()


async def _pull_whole(request: web.Request, parts: Parts, file: ModelFile | None) -> web.StreamResponse:
    if file is None:
        return await send(request, go_json({"error": UNKNOWN_TO_REGISTRY}), JSON, 500)
    for _ in range(PULL_STEPS):
        await _download(parts, file)
    parts.engine.files[file.name] = file
    return await send(request, _status("success").rstrip(), JSON)


async def _download(parts: Parts, file: ModelFile) -> None:
    await parts.faults.flowing()
    rate = parts.machine.pull_gbps
    await asyncio.sleep(file.size_gb / rate / PULL_STEPS if rate else 0.0)


def _progress(file: ModelFile) -> Iterator[bytes]:
    digest = f"sha256:{file.digest}"
    for step in range(1, PULL_STEPS + 1):
        sizes = {"total": file.size, "completed": file.size * step // PULL_STEPS}
        yield _status(f"pulling {file.digest[:12]}", digest=digest, **sizes)


def _status(status: str, **more: Any) -> bytes:
    return go_json({"status": status} | more) + b"\n"
