"""The JSON form of a heartbeat, schema 1: one table a part. Described for agents in docs/nodes.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from nodes.core.names import normal
from nodes.core.report import NodeReport
from nodes.core.values import Capacity, DiskModel, Memory, ResidentModel
from nodes.lib.shape import Fields, Optional, anything, boolean, number, one_of, record, several, text, whole

SCHEMA = 1
MOST_MODELS = 5000
BYTES = number(0, 1e15)
EPOCH = number(0, 1e11)
NAME = text(300, least=1)

RESIDENT: Fields = {
    "name": NAME,
    "size_bytes": Optional(BYTES),
    "context": Optional(whole(0, 10**9)),
    "idle": Optional(boolean, True),
    "pinned": Optional(boolean, False),
    "expires_at": Optional(EPOCH),
}
ON_DISK: Fields = {
    "name": NAME,
    "size_bytes": Optional(BYTES),
    "digest": Optional(text(200), ""),
    "capabilities": Optional(several(text(50), 50)),
    "modified_at": Optional(EPOCH, 0.0),
    "details": Optional(anything),
}
ENGINE: Fields = {
    "flavour": Optional(text(50), ""),
    "version": Optional(text(100), ""),
    "parallel": Optional(whole(0, 10000)),
    "resident": several(record(RESIDENT), MOST_MODELS),
    "on_disk": several(record(ON_DISK), MOST_MODELS),
}
MEMORY: Fields = {
    "total_bytes": Optional(BYTES),
    "available_bytes": Optional(BYTES),
    "pressure": Optional(one_of("normal", "warn", "critical"), "normal"),
}
CPU: Fields = {"percent": number(0, 100)}
CAPACITY: Fields = {
    "learning": Optional(boolean, False),
    "override": Optional(one_of("pause", "full")),
    "observed_days": Optional(number(0, 1e6), 0.0),
    "availability": Optional(number(0, 1), 1.0),
    "ceiling_gb": Optional(number(0, 1e6)),
    "meeting": Optional(boolean, False),
    "cpu_over_85_seconds": Optional(number(0, 1e9), 0.0),
}
HEARTBEAT: Fields = {
    "schema": one_of(SCHEMA),
    "node": text(64, least=1),
    "boot": text(64, least=1),
    "sequence": whole(0, 2**53),
    "draining": Optional(boolean, False),
    "utc_offset": Optional(whole(-86400, 86400)),
    "bandwidth_gbps": Optional(number(0, 1e6)),
    "memory": Optional(record(MEMORY)),
    "cpu": Optional(record(CPU)),
    "engine": Optional(record(ENGINE)),
    "capacity": Optional(record(CAPACITY)),
}
FORM = record(HEARTBEAT)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """One heartbeat: whose, which, and what it says."""

    node: str
    boot: str
    sequence: int
    report: NodeReport


def heartbeat_of(said: Any, now: float) -> Heartbeat:
    """The heartbeat in this JSON; raises Misshapen, which names the field."""
    whole_form = FORM(said, "") if isinstance(said, dict) else FORM(said, "the body")
    return Heartbeat(whole_form["node"], whole_form["boot"], whole_form["sequence"], _report(whole_form, now))


def _report(said: Mapping[str, Any], now: float) -> NodeReport:
    engine = said["engine"]
    return NodeReport(
        seen_at=now,
        flavour=engine["flavour"] if engine else "",
        version=engine["version"] if engine else "",
        resident=_by_name(map(_resident, engine["resident"])) if engine else None,
        on_disk=_by_name(map(_on_disk, engine["on_disk"])) if engine else None,
        engine_parallel=(engine["parallel"] or None) if engine else None,
        memory=_memory(said["memory"]) if said["memory"] else None,
        bandwidth_gbps=said["bandwidth_gbps"] or None,
        capacity=Capacity(**said["capacity"]) if said["capacity"] else None,
        draining=said["draining"],
        cpu_percent=said["cpu"]["percent"] if said["cpu"] else None,
        utc_offset=said["utc_offset"],
    )


def _by_name(models: Any) -> dict[str, Any]:
    return {model.name: model for model in models}


def _memory(said: Mapping[str, Any]) -> Memory:
    """Totals are nominal: whole GiB, rounded up; what is available is in GB."""
    total, available = said["total_bytes"], said["available_bytes"]
    return Memory(
        total_gb=float(ceil(total / 2**30)) if total else None,
        available_gb=None if available is None else available / 1e9,
        pressure=said["pressure"],
    )


def _resident(said: Mapping[str, Any]) -> ResidentModel:
    return ResidentModel(
        name=normal(said["name"]),
        size_gb=_gigabytes(said["size_bytes"]),
        context=said["context"] or None,
        idle=said["idle"],
        pinned=said["pinned"],
        expires_at=said["expires_at"],
    )


def _on_disk(said: Mapping[str, Any]) -> DiskModel:
    return DiskModel(
        name=normal(said["name"]),
        size_gb=_gigabytes(said["size_bytes"]),
        digest=said["digest"],
        capabilities=frozenset(said["capabilities"]) if said["capabilities"] else None,
        spelling=said["name"],
        modified_at=said["modified_at"],
        details=said["details"] or {},
    )


def _gigabytes(size: float | None) -> float | None:
    return size / 1e9 if size else None
