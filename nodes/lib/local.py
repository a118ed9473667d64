"""Is a request from this machine?"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """Addresses and networks, comma-separated, whose forwarding headers are believed."""

    networks: str = ""


def is_local(peer: str | None, header_names: Iterable[str], trusted: str) -> bool:
    """Does a loopback peer speak for itself, or is it a trusted proxy?

    A forwarding header tells that somebody else is behind the peer; a trusted proxy must itself keep strangers out.
    """
    address = _address(peer or "")
    if address is None or not address.is_loopback:
        return False
    return not any(map(_forwards, header_names)) or any(address in network for network in networks(trusted))


@lru_cache(maxsize=16)
def networks(trusted: str) -> tuple[Network, ...]:
    """The networks in a comma-separated list; raises ValueError for one that is none."""
    return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in trusted.split(",") if part.strip())


def _forwards(header: str) -> bool:
    name = header.lower()
    return name == "forwarded" or name.startswith("x-forwarded-")


def _address(peer: str) -> Address | None:
    """The peer's address, an IPv4 one out of its IPv6 form; None if it has none."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
