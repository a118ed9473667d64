"""Reads an engine that speaks OpenAI's dialect: llama.cpp, vLLM, LM Studio and others.

Which one it is, is found out once; a failed reading forgets it, for another engine may come up on the same port.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nodes.core.report import NodeReport
from nodes.core.trouble import words
from nodes.engines.client import Answer, EngineTrouble, Fetch, inventory
from nodes.engines.fields import entries, mapping, text, whole
from nodes.engines.openai_models import listed, lmstudio

OWNERS = {"llamacpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang", "organization_owner": "lmstudio"}
MODELS = "/v1/models"
LISTINGS = {"lmstudio": "/api/v0/models"}
LOADING = 503


@dataclass(frozen=True, slots=True)
class Flavour:
    """Which engine it is, and what of it stays as long as it runs."""

    name: str = "openai"
    version: str = ""
    parallel: int | None = None
    sees: bool | None = None  # images; None: it does not say


@dataclass
class OpenAIReader:
    """One node's engine."""

    fetch: Fetch
    url: str
    _flavour: Flavour | None = None

    async def read(self, now: float, limit: float) -> NodeReport:
        """The models it lists; while it loads its model it is there and has none in memory."""
        try:
            async with asyncio.timeout(limit):
                return await self._read(now)
        except (EngineTrouble, TimeoutError):
            self._flavour = None
            raise

    async def probe(self, limit: float) -> NodeReport:
        """Is it there?"""
        async with asyncio.timeout(limit):
            answer = await self.fetch(MODELS)
        if not _loading(answer):
            self._models(answer, MODELS)
        return NodeReport(reachable=True)

    async def _read(self, now: float) -> NodeReport:
        answer = await self.fetch(MODELS)
        if _loading(answer):
            self._flavour = None
            return NodeReport(seen_at=now, reachable=True, resident={})
        models = self._models(answer, MODELS)
        flavour = self._flavour = self._flavour or await self._recognise(models)
        if path := LISTINGS.get(flavour.name):
            models = self._models(await self.fetch(path), path)
        return report(flavour, models, now)

    def _models(self, answer: Answer, path: str) -> dict[str, Any]:
        content = inventory(answer, self.url, "openai", path)
        if not isinstance(content.get("data"), list):
            raise EngineTrouble(words("shape", self.url, "openai", f"its answer to {path} has no list of models"))
        return content

    async def _recognise(self, models: Mapping[str, Any]) -> Flavour:
        owners = [OWNERS.get(text(entry.get("owned_by"))) for entry in entries(models, "data", "id")]
        name = next((owner for owner in owners if owner), "")
        if name == "llama.cpp":
            return llama_cpp(await self._asked("/props"))
        if name in ("", "lmstudio"):
            studio = isinstance((await self._asked(LISTINGS["lmstudio"])).get("data"), list)
            return Flavour("lmstudio" if studio else "openai")
        return Flavour(name, text((await self._asked("/version")).get("version")))

    async def _asked(self, path: str) -> Mapping[str, Any]:
        """What it says there, if it has such a path."""
        answer = await self.fetch(path)
        return mapping(answer.json()) if answer.status == 200 else {}


def llama_cpp(props: Mapping[str, Any]) -> Flavour:
    """What llama.cpp's properties say; they may be locked by a key."""
    sees = mapping(props.get("modalities")).get("vision")
    return Flavour(
        "llama.cpp",
        text(props.get("build_info")),
        whole(props.get("total_slots")),
        sees if isinstance(sees, bool) else None,
    )


def report(flavour: Flavour, models: Mapping[str, Any], now: float) -> NodeReport:
    """What the listing says."""
    on_disk, resident = lmstudio(models) if flavour.name == "lmstudio" else listed(models, flavour.sees)
    return NodeReport(
        seen_at=now,
        reachable=True,
        flavour=flavour.name,
        version=flavour.version,
        on_disk={model.name: model for model in on_disk},
        resident={model.name: model for model in resident},
        engine_parallel=flavour.parallel,
    )


def _loading(answer: Answer) -> bool:
    return (
        answer.status == LOADING
        and "loading" in text(mapping(mapping(answer.json()).get("error")).get("message")).lower()
    )
