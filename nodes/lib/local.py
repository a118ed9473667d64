"""Is a request from this machine, and who asks?"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Headers = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """Addresses and networks, comma-separated, whose forwarding headers are believed."""

    networks: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the nearest address that is no trusted proxy, and whether that is this machine."""

    address: str
    local: bool


def caller(peer: str | None, headers: Headers, trusted: str) -> Caller:
    """Who asks through this peer.

    A forwarding header from a peer that is not trusted tells only that somebody else is behind it.
    """
    hops = _hops(headers)
    return Caller(_asking(peer or "", hops or (), trusted), _is_local(_address(peer or ""), hops, trusted))


def is_local(peer: str | None, headers: Headers, trusted: str) -> bool:
    """Does a loopback peer speak for itself, or is it a trusted proxy that speaks for somebody on loopback?"""
    return caller(peer, headers, trusted).local


@lru_cache(maxsize=16)
def networks(trusted: str) -> tuple[Network, ...]:
    """The networks in a comma-separated list; raises ValueError for one that is none."""
    return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in trusted.split(",") if part.strip())


def _asking(peer: str, hops: Sequence[Address | None], trusted: str) -> str:
    asking = peer
    for hop in reversed(hops):
        if hop is None or not _trusted(_address(asking), trusted):
            break
        asking = str(hop)
    return asking


def _is_local(peer: Address | None, hops: Sequence[Address | None] | None, trusted: str) -> bool:
    """Every hop must be loopback: one that is not stands for another machine, whoever wrote it."""
    if hops is None:
        return _is_loopback(peer)
    return bool(hops) and _trusted(peer, trusted) and all(map(_is_loopback, (peer, *hops)))


def _is_loopback(address: Address | None) -> bool:
    return address is not None and address.is_loopback


def _trusted(address: Address | None, trusted: str) -> bool:
    return address is not None and any(address in network for network in networks(trusted))


def _hops(headers: Headers) -> tuple[Address | None, ...] | None:
    """Who is said to be behind the peer, the farthest first (None: no address); None if no header forwards."""
    forwarding = [(name.lower(), value) for name, value in headers if _forwards(name.lower())]
    if not forwarding:
        return None
    return tuple(_address(_bare(hop)) for name, value in forwarding for hop in _named(name, value))


def _forwards(name: str) -> bool:
    return name == "forwarded" or name.startswith("x-forwarded-")


def _named(name: str, value: str) -> list[str]:
    """The hops of one header: all of `X-Forwarded-For`, the `for=` of `Forwarded` (RFC 7239), none of others."""
    if name == "x-forwarded-for":
        return value.split(",")
    pairs = [pair.strip().partition("=") for hop in value.split(",") for pair in hop.split(";")]
    return [given for key, _, given in pairs if name == "forwarded" and key.lower() == "for"]


def _bare(hop: str) -> str:
    """`"[::1]:80"` → `::1`; `127.0.0.1:80` → `127.0.0.1`."""
    text = hop.strip().strip('"')
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


@lru_cache(maxsize=1024)
def _address(peer: str) -> Address | None:
    """The peer's address, an IPv4 one out of its IPv6 form; None if it has none."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
