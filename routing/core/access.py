"""API keys as the data plane knows them: digests in memory, never the keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Key:
    """What one API key may do. Empty `models`: all. None: no limit."""

    name: str
    models: frozenset[str] = frozenset()
    pull: bool = False
    rpm: int | None = None
    max_in_flight: int | None = None
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """Every key in force, by the SHA-256 (hex) of what the client sends."""

    by_digest: Mapping[str, Key] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerSecret:
    """What session identities are keyed with; made once, kept in the data directory (0600)."""

    value: bytes = b""


@dataclass(frozen=True, slots=True)
class Binding:
    """Where this server listens: a loopback address makes the data plane open to this machine."""

    host: str = "127.0.0.1"
    port: int = 11435
