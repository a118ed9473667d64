"""Reads an Ollama: version, tags, ps; and show, once for each model whose tags can't be believed."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from nodes.core.names import normal
from nodes.core.report import NodeReport
from nodes.core.trouble import words
from nodes.core.values import DiskModel, ResidentModel
from nodes.engines.client import EngineTrouble, Fetch, inventory
from nodes.engines.fields import entries, epoch, gigabytes, mapping, text, texts, whole

FLAVOUR = "ollama"
FOREVER = 10 * 365 * 86400.0  # keep_alive −1 shows as an expiry centuries away
TAGS_BELIEVED_SINCE = (0, 34, 1)  # before, tags call an embedding model a completion model
FINAL = (200, 404)  # any other answer to show is asked for again
Capabilities = Mapping[tuple[str, str], frozenset[str] | None]


@dataclass
class OllamaReader:
    """One node's Ollama; remembers what each model can do, by name and digest."""

    fetch: Fetch
    url: str
    _shown: dict[tuple[str, str], frozenset[str] | None] = field(default_factory=dict)

    async def read(self, now: float, limit: float) -> NodeReport:
        """Version, models on disk and in memory."""
        end = asyncio.get_running_loop().time() + limit
        async with asyncio.timeout_at(end):
            version = await self._version()
            tags = await self._get("/api/tags")
            ps = await self._get("/api/ps")
        if not believed(version):
            await self._learn(tags, end)
        return report(version, tags, ps, self._shown, now)

    async def probe(self, limit: float) -> NodeReport:
        """Is it there, and which version?"""
        async with asyncio.timeout(limit):
            return NodeReport(reachable=True, flavour=FLAVOUR, version=await self._version())

    async def _version(self) -> str:
        version = (await self._get("/api/version")).get("version")
        if not isinstance(version, str) or not version:
            raise EngineTrouble(words("shape", self.url, "ollama", "its answer to /api/version names no version"))
        return version

    async def _get(self, path: str) -> dict[str, Any]:
        return inventory(await self.fetch(path), self.url, "ollama", path)

    async def _learn(self, tags: Mapping[str, Any], end: float) -> None:
        """Ask about models not asked about yet, while there is time; the next reading goes on."""
        here = {(entry["name"], text(entry.get("digest"))) for entry in local(tags)}
        self._shown = {model: known for model, known in self._shown.items() if model in here}
        with suppress(TimeoutError, EngineTrouble):
            async with asyncio.timeout_at(end):
                for name, digest in sorted(here - self._shown.keys()):
                    answer = await self.fetch("/api/show", {"model": name})
                    if answer.status in FINAL:
                        self._shown[name, digest] = texts(mapping(answer.json()).get("capabilities"))


def report(version: str, tags: Mapping[str, Any], ps: Mapping[str, Any], shown: Capabilities, now: float) -> NodeReport:
    """What the three answers say; `shown` is believed before what tags say."""
    trusted = believed(version)
    disk = [
        on_disk(entry, texts(entry.get("capabilities")) if trusted else _known(entry, shown)) for entry in local(tags)
    ]
    memory = [resident(entry, now) for entry in local(ps)]
    return NodeReport(
        seen_at=now,
        reachable=True,
        flavour=FLAVOUR,
        version=version,
        on_disk={model.name: model for model in disk},
        resident={model.name: model for model in memory},
    )


def local(listing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The models that run on the node itself: stubs of models in a cloud are left out."""
    return [e for e in entries(listing, "models", "name") if not (e.get("remote_model") or e.get("remote_host"))]


def on_disk(entry: Mapping[str, Any], capabilities: frozenset[str] | None) -> DiskModel:
    """One entry of tags."""
    return DiskModel(
        name=normal(entry["name"]),
        size_gb=gigabytes(entry.get("size")),
        digest=text(entry.get("digest")),
        capabilities=capabilities,
        spelling=entry["name"],
        modified_at=epoch(entry.get("modified_at")) or 0.0,
        details=dict(mapping(entry.get("details"))),
    )


def resident(entry: Mapping[str, Any], now: float) -> ResidentModel:
    """One entry of ps. Ollama does not say what runs: as far as it tells, every model is idle."""
    expires = epoch(entry.get("expires_at"))
    return ResidentModel(
        name=normal(entry["name"]),
        size_gb=gigabytes(entry.get("size")),
        context=whole(entry.get("context_length")),
        idle=True,
        pinned=expires is not None and expires > now + FOREVER,
        expires_at=expires,
    )


def believed(version: str) -> bool:
    """Are the capabilities in this version's tags right?"""
    numbers = version.split("-")[0].split("+")[0].lstrip("v").split(".")
    return tuple(int(n) if n.isdigit() else 0 for n in numbers) >= TAGS_BELIEVED_SINCE


def _known(entry: Mapping[str, Any], shown: Capabilities) -> frozenset[str] | None:
    return shown.get((entry["name"], text(entry.get("digest"))))
